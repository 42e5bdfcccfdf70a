"""Catalogues ranked from vectors, on CPU and CUDA; tensors; metrics that accumulate during training."""
