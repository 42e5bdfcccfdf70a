"""Scores of a Keras model, measured by Keras and by rankmeter from the same tensor."""

import numpy as np
import tensorflow as tf
from interactions import ITEMS, USERS, drawn

import rankmeter as rm

train, held = drawn()
users, items = np.array(train).T
tf.keras.utils.set_random_seed(5)
model = tf.keras.Sequential([tf.keras.layers.Embedding(USERS, 8), tf.keras.layers.Dense(ITEMS)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(users, items, epochs=3, verbose=0)
scores = model(tf.range(USERS)).numpy()
wanted = np.array([next(item for owner, item in held if owner == user) for user in range(USERS)])
labels = np.eye(ITEMS, dtype=np.float32)[wanted]
theirs = float(tf.reduce_mean(tf.keras.metrics.top_k_categorical_accuracy(labels, scores, k=10)))
judged = {user: {int(item): 1} for user, item in enumerate(wanted)}
run = {user: dict(enumerate(row)) for user, row in enumerate(scores.tolist())}
ours = rm.evaluate(judged, run, ["HitRate@10", "nDCG@10"])
assert abs(ours["HitRate@10"] - theirs) < 1e-6, (theirs, ours)
print(f"HitRate@10 = {theirs:.6f}, as in Keras; nDCG@10 = {ours['nDCG@10']:.6f}")
