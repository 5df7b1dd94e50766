#!/usr/bin/env python3
"""The reversal task in PyTorch, the peer of gradus: /usr/bin/python3 benchmarks/reversal_torch.py --steps 700 --seed 1

Bidirectional GRU, additive attention with the keys computed once, GRU decoder, cross-entropy over real tokens, clip 1.0, Adam.
--fixed trains the twin without attention: the decoder sees the source through s_0 alone.
"""
import argparse
import json
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products are small here, and Debian's threaded OpenBLAS fights with torch's OpenMP: 4 times slower
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, BOS, EOS, FIRST, SYMBOLS = 0, 1, 2, 3, 10
VOCABULARY = FIRST + SYMBOLS


def batch_of(lengths, generator):
    """Random strings: source (T,B), previous tokens (T+1,B) from BOS, target (T+1,B) to EOS."""
    T, B = int(lengths.max()), len(lengths)
    step = torch.arange(T)[:, None]
    source = torch.randint(FIRST, VOCABULARY, (T, B), generator=generator).masked_fill(step >= lengths, PAD)
    reverse = source.gather(0, (lengths - 1 - step).clamp(min=0)).masked_fill(step >= lengths, PAD)
    target = torch.cat([reverse, torch.full((1, B), PAD)]).scatter(0, lengths[None], EOS)
    previous = torch.cat([torch.full((1, B), BOS), reverse])
    return source, previous, target


class Reverser(nn.Module):
    def __init__(self, E=32, H=64, A=64, fixed=False, embedding_std=0.1):
        super().__init__()
        self.fixed = fixed
        self.source_embedding = nn.Embedding(VOCABULARY, E)
        self.encoder = nn.GRU(E, H, bidirectional=True)
        self.target_embedding = nn.Embedding(VOCABULARY, E)
        self.W_s = nn.Linear(2 * H if fixed else H, H, bias=False)
        self.cell = nn.GRUCell(E if fixed else E + 2 * H, H)
        self.readout = nn.Linear(H if fixed else H + 2 * H + E, VOCABULARY)
        if not fixed:
            self.W_a = nn.Linear(H, A, bias=False)
            self.U_a = nn.Linear(2 * H, A, bias=False)
            self.v_a = nn.Parameter(torch.empty(A).uniform_(-(A ** -0.5), A ** -0.5))
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, 0, embedding_std)

    def encode(self, source, lengths):
        """s_0 (B,H) and what attention needs: annotations (T,B,2H), keys (T,B,A), pad (T,B)."""
        packed = pack_padded_sequence(self.source_embedding(source), lengths, enforce_sorted=False)
        packed, h_n = self.encoder(packed)                                        # h_n: last forward, first backward
        if self.fixed:
            return torch.tanh(self.W_s(torch.cat([h_n[0], h_n[1]], 1))), None
        annotations, _ = pad_packed_sequence(packed)
        pad = torch.arange(len(source))[:, None] >= lengths
        return torch.tanh(self.W_s(h_n[1])), (annotations, self.U_a(annotations), pad)

    def attend(self, s, memory):
        annotations, keys, pad = memory
        energy = torch.tanh(self.W_a(s) + keys) @ self.v_a                        # (T,B)
        alpha = energy.masked_fill(pad, float("-inf")).softmax(0)
        return (alpha[:, :, None] * annotations).sum(0), alpha                    # (B,2H), (T,B);  bmm is slower here

    def forward(self, source, lengths, previous):
        """Teacher forcing: logits (T+1,B,V). The output layer runs once over all steps."""
        s, memory = self.encode(source, lengths)
        ys, states, contexts = self.target_embedding(previous), [], []
        for y in ys:
            if self.fixed:
                s = self.cell(y, s)
            else:
                c, _ = self.attend(s, memory)
                s = self.cell(torch.cat([y, c], 1), s)
                contexts.append(c)
            states.append(s)
        states = torch.stack(states)
        return self.readout(states if self.fixed else torch.cat([states, torch.stack(contexts), ys], 2))

    @torch.no_grad()
    def greedy(self, source, lengths, steps):
        """Tokens (steps,B) and the attention's weights (steps,T,B)."""
        s, memory = self.encode(source, lengths)
        token, tokens, weights = torch.full((len(lengths),), BOS), [], []
        for _ in range(steps):
            y = self.target_embedding(token)
            if self.fixed:
                s = self.cell(y, s)
                read = s
            else:
                c, alpha = self.attend(s, memory)
                s = self.cell(torch.cat([y, c], 1), s)
                read = torch.cat([s, c, y], 1)
                weights.append(alpha)
            token = self.readout(read).argmax(1)
            tokens.append(token)
        return torch.stack(tokens), None if self.fixed else torch.stack(weights)


def train(model, args):
    """Returns the milliseconds of every step and the last hundred steps' mean loss."""
    generator = torch.Generator().manual_seed(args.seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=args.lr, foreach=True)
    milliseconds, losses = [], []
    for step in range(args.steps):
        optimiser.param_groups[0]["lr"] = args.lr * (1 - 0.9 * step / args.steps)
        lengths = torch.randint(3, 13, (args.batch,), generator=generator)
        source, previous, target = batch_of(lengths, generator)

        start = time.perf_counter()
        logits = model(source, lengths, previous)
        loss = cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        milliseconds.append(1e3 * (time.perf_counter() - start))
        losses.append(loss.item())
    return milliseconds, sum(losses[-100:]) / len(losses[-100:])


def evaluate(model, strings=500):
    """Exact match by length; over content steps of lengths 3..12, how often the largest weight is on position L − t + 1, and the weight there."""
    generator = torch.Generator().manual_seed(10_000)                             # the same strings for every model
    exact, hits, mass = {}, [], []
    for L in [*range(3, 13), 15, 20]:
        lengths = torch.full((strings,), L)
        source, _, target = batch_of(lengths, generator)
        tokens, weights = model.greedy(source, lengths, L + 1)
        exact[L] = (tokens == target).all(0).float().mean().item()
        if weights is not None and L <= 12:
            t = torch.arange(L)                                                   # 0-based: step t looks at L − 1 − t
            hits.append((weights[:L].argmax(1) == (L - 1 - t)[:, None]).flatten())
            mass.append(weights[t, L - 1 - t].flatten())
    mean = lambda parts: torch.cat(parts).float().mean().item() if parts else None
    return exact, mean(hits), mean(mass)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="for torch's own loops; OPENBLAS_NUM_THREADS for products")
    parser.add_argument("--lr", type=float, default=3e-3, help="falls linearly to a tenth of it")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--embedding-std", type=float, default=0.1, help="PyTorch's own is 1, with which the alignment blurs over the neighbours")
    parser.add_argument("--fixed", action="store_true", help="the twin without attention")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    model = Reverser(fixed=args.fixed, embedding_std=args.embedding_std)
    cpu = time.process_time()
    milliseconds, loss = train(model, args)
    cpu = time.process_time() - cpu
    exact, aligned, mass = evaluate(model)

    result = {**vars(args), "parameters": sum(p.numel() for p in model.parameters()), "ms_per_step": sorted(milliseconds)[len(milliseconds) // 2],
              "cpu_seconds": cpu, "loss": loss, "exact": exact, "aligned": aligned, "mean_weight": mass}
    del result["json"]
    if args.json:
        print(json.dumps(result))
        return
    print(f"{'fixed context' if args.fixed else 'attention'}, {result['parameters']} parameters, seed {args.seed}, {args.steps} steps of {args.batch}, {args.threads} thread(s)")
    print(f"ms per step (median) {result['ms_per_step']:.2f}   CPU seconds {cpu:.1f}   loss {loss:.4f}")
    print("length      " + "".join(f"{L:7d}" for L in exact))
    print("exact match " + "".join(f"{e:7.3f}" for e in exact.values()))
    if aligned is not None:
        print(f"alignment: largest weight at L − t + 1 {aligned:.4f}, mean weight there {mass:.4f}")


if __name__ == "__main__":
    main()
