"""Factors trained with torch, measured in the loop from tensors, over the whole catalogue and from lists."""

import torch
from interactions import ITEMS, USERS, drawn

import rankmeter as rm

train, held = drawn()
torch.manual_seed(1)
users, items = (torch.nn.Embedding(many, 8) for many in (USERS, ITEMS))
known, after = torch.zeros(USERS, ITEMS), torch.zeros(USERS, ITEMS)
known[tuple(torch.tensor(train).T)] = 1
after[tuple(torch.tensor(held).T)] = 1
step = torch.optim.Adam([*users.parameters(), *items.parameters()], lr=0.05)
for _ in range(30):
    step.zero_grad()
    torch.nn.functional.binary_cross_entropy_with_logits(users.weight @ items.weight.T, known).backward()
    step.step()
scores = (users.weight @ items.weight.T).detach()
top = scores.topk(10).indices
hits = after.gather(1, top)
recall = float((hits.sum(1) / after.sum(1)).mean())
ours = {
    "tensors": rm.evaluate(rm.tensors(scores, after), measures="R@10")["R@10"],
    "lists": rm.evaluate(
        {user: after[user].nonzero().flatten().tolist() for user in range(USERS)}, dict(enumerate(top.tolist())), "R@10"
    )["R@10"],
    "catalogue": rm.evaluate(
        rm.rank_catalogue(
            {user: after[user].nonzero().flatten().tolist() for user in range(USERS)},
            users.weight.detach(),
            items.weight.detach(),
        ),
        measures="R@10",
    )["R@10"],
}
for way, value in ours.items():
    assert abs(value - recall) < 1e-6, (way, value, recall)
    print(f"R@10 = {value:.6f} from {way}, as torch.topk gives it")
