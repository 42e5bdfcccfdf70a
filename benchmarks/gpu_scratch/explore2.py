import sys; sys.path.insert(0,"../../src")
import torch, triton, importlib.util, types
# load module without the package's other imports
spec=importlib.util.spec_from_file_location("cuda_tiles","../../src/rankmeter/placing/cuda_tiles.py"); ct=importlib.util.module_from_spec(spec); spec.loader.exec_module(ct)
torch.manual_seed(0); dev="cuda"
U,I,D=65536,1_000_000,128
q=torch.randn(U,D,device=dev); v=torch.randn(I,D,device=dev)
triton.set_allocator(lambda size,align,stream: torch.empty(size,device=dev,dtype=torch.int8))
def bench(f,n=5):
    f(); torch.cuda.synchronize(); ts=[]
    for _ in range(n):
        a=torch.cuda.Event(enable_timing=True); b=torch.cuda.Event(enable_timing=True)
        a.record(); f(); b.record(); torch.cuda.synchronize(); ts.append(a.elapsed_time(b)/1e3)
    return sorted(ts)[len(ts)//2]
A=torch.randn(8192,8192,device=dev,dtype=torch.bfloat16); t=bench(lambda: A@A); RATE=2*8192**3/t/1e12; print("rate",RATE)
qh,ql=ct.halves(q); vh,vl=ct.halves(v)
pos=torch.randint(0,I,(U,),device=dev,dtype=torch.int32)
rowsU=torch.arange(U,device=dev,dtype=torch.int32)
t64=ct.pair_scores(q,v,rowsU,pos)
ref=torch.zeros(U,device=dev,dtype=torch.float64)
for d in range(D): ref+=q[:,d].double()*v[pos.long(),d].double()
print("pair scores exact:", bool((ref==t64).all()))
qn=q.double().norm(dim=1); vn=v.double().norm(dim=1)
def prep(BV,err):
    tiles=triton.cdiv(I,BV)
    m=torch.nn.functional.pad(vn,(0,tiles*BV-I)).view(tiles,BV).max(1).values.float()*1.0001
    reach=(qn*err).float()*1.0001
    return m,reach
cap=2048
pairs=torch.empty(U*cap,device=dev,dtype=torch.int32)
def go(exact,BV,nw,ns,splits,T=1):
    err=ct.split_error(D) if exact else ct.half_error(D)
    m,reach=prep(BV,err)
    counts=torch.zeros(U*T*3,device=dev,dtype=torch.int32); doubt=torch.zeros(U*T,device=dev,dtype=torch.int32)
    if exact: w=t64.float()
    else:
        w=torch.empty(U,device=dev); ct._own[(U//128,)](qh,vh,pos,w,U,WIDTH=D,BQ=128,num_warps=nw)
    w=w[:,None].repeat(1,T).contiguous()
    tiles=triton.cdiv(I,BV); per=triton.cdiv(tiles,splits)*BV
    def f():
        counts.zero_(); doubt.zero_()
        ct._count[(U//128,splits)](qh,ql,vh,vl,w,reach,m,counts,doubt,pairs,I,per,cap//T,U,WIDTH=D,BQ=128,BV=BV,T=T,EXACT=exact,num_warps=nw,num_stages=ns)
    try:
        t=bench(f,3)
        c=counts.view(U,T,3)
        print(f"exact={exact} BV{BV} w{nw} s{ns} sp{splits} T{T}: {t:.4f}s {2*U*I*D*(3 if exact else 1)/t/1e12:.0f}TF {2*U*I*D*(3 if exact else 1)/t/1e12/RATE*100:.0f}% sure {c[:,0,0].float().mean():.1f} mid {c[:,0,1].float().mean():.1f} perhaps {c[:,0,2].float().mean():.1f} doubt mean {doubt.float().mean():.1f} max {doubt.max().item()}",flush=True)
        return c,doubt
    except Exception as e:
        print(exact,BV,nw,ns,"ERR",str(e)[:200].replace("\n"," "),flush=True)
for BV,nw,ns in [(128,8,3),(256,8,3),(128,4,3),(64,4,4)]: go(False,BV,nw,ns,8)
for BV,nw,ns in [(128,8,3),(128,8,2),(64,4,3),(64,8,3),(128,4,2),(256,8,2)]: r=go(True,BV,nw,ns,8)
go(False,128,8,3,8,T=4); go(True,128,8,2,8,T=4)
c,doubt=go(True,128,8,2,8)
# resolve
def resolve():
    n=doubt.clamp(max=cap)
    r=torch.repeat_interleave(rowsU,n.long())
    off=torch.cumsum(n,0)-n
    slot=torch.arange(len(r),device=dev)-torch.repeat_interleave(off.long(),n.long())
    it=pairs[r.long()*cap+slot]
    s=ct.pair_scores(q,v,r,it)
    gt=torch.zeros(U,device=dev,dtype=torch.int64).index_add_(0,r.long(),(s>t64[r.long()]).long())
    eq=torch.zeros(U,device=dev,dtype=torch.int64).index_add_(0,r.long(),(s==t64[r.long()]).long())
    return gt,eq,len(r)
print("resolve", bench(resolve,3)); gt,eq,n=resolve(); print("pairs",n,"eq min",eq.min().item())
above=c[:,0,0].long()+gt
# verify on subset against full fp64 in index order
for u in range(0,U,U//64):
    s=torch.zeros(I,device=dev,dtype=torch.float64)
    for d in range(D): s+=q[u,d].double()*v[:,d].double()
    assert (s>t64[u]).sum()==above[u], u
print("verified exact")
