"""Gradients by the adjoint of the steps, and functions with gradients for PyTorch and JAX."""

import numpy as np

from .derive import names_of


class Function:
    """Outputs of a model as a function of some of its parameters and start values.

    by      the names of the arguments
    of      the columns of the value
    times   the places of the value; None: the end of the run only

    f(p)                  the value: an array (times, columns)
    f.vjp(p, weights)     the value, and the gradient of sum(weights*value) by p
    f.torch(p)            the same for a tensor of PyTorch, with its gradient
    f.jax(p)              the same for an array of JAX, with its gradient

    One gradient costs a few runs, however many arguments there are.
    """

    def __init__(self, model, by, of=None, times=None, *, set=None, start=None, **options):
        self.by, self.of = names_of(by), None if of is None else names_of(of)
        self.times = None if times is None else np.asarray(times, float).ravel()
        self._set, self._start, self._model = dict(set or {}), dict(start or {}), model
        self._given = options.pop("tol", None), options.pop("method", None), options.pop("to", None), options
        self._last = None

    def _run(self, p=None):
        """The adjoint run at p, or at the values of the model: the model, the run, the values of all columns, and the columns chosen."""
        if p is not None:
            p = np.array(p, float).ravel()
            if p.size != len(self.by):
                raise ValueError(f"the function has {len(self.by)} arguments, not {p.size}")
            if self._last is not None and np.array_equal(self._last[0], p):
                return self._last[1]
        values, start = dict(self._set), dict(self._start)
        for name, value in zip(self.by, [] if p is None else p.tolist()):
            (values if self._model._at.meaning(name) == "parameter" else start)[name] = value
        model = self._model._prepared(values, start)
        tol, method, end, options = self._given
        places = None if self.times is None else self.times.tobytes()
        adjoint, columns, table = model._at.adjoint(list(self.by), places, model._options(end, tol, method, dict(options)))
        if self.of is None:
            self.of = list(columns)
        unknown = [name for name in self.of if name not in columns]
        if unknown:
            raise KeyError(f"the model has no column '{unknown[0]}'; its columns are {', '.join(columns)}")
        found = model, adjoint, np.frombuffer(table).reshape(-1, len(columns)), [columns.index(name) for name in self.of]
        if p is not None:
            self._last = p, found
        return found

    @staticmethod
    def _pull(found, weights):
        """The gradient of sum(weights*value) of a run."""
        model, adjoint, table, chosen = found
        every = np.zeros_like(table)
        every[:, chosen] = np.broadcast_to(np.asarray(weights, float), (len(table), len(chosen)))
        return np.frombuffer(model._at.pull(adjoint, every.tobytes())).copy()

    def __call__(self, p):
        _, _, table, chosen = self._run(p)
        return table[:, chosen].copy()

    def vjp(self, p, weights):
        """The value at p, and the gradient of sum(weights*value) by p."""
        found = self._run(p)
        return found[2][:, found[3]].copy(), self._pull(found, weights)

    def torch(self, p):
        """The value as a tensor of PyTorch, differentiable by the tensor p."""
        import torch

        function = self

        class Solve(torch.autograd.Function):
            @staticmethod
            def forward(context, p):
                context.save_for_backward(p)
                return torch.as_tensor(function(p.detach().cpu().numpy()), dtype=p.dtype, device=p.device)

            @staticmethod
            def backward(context, weights):
                (p,) = context.saved_tensors
                _, gradient = function.vjp(p.detach().cpu().numpy(), weights.detach().cpu().numpy())
                return torch.as_tensor(gradient, dtype=p.dtype, device=p.device)

        return Solve.apply(p)

    def jax(self, p):
        """The value as an array of JAX, differentiable by the array p in reverse mode, also inside jax.jit."""
        import jax

        p = jax.numpy.asarray(p)
        rows = 1 if self.times is None else len(self.times)
        if self.of is None:
            raise ValueError("give the columns of the value: of=[...]")
        value = jax.ShapeDtypeStruct((rows, len(self.of)), p.dtype)

        @jax.custom_vjp
        def solve(p):
            return jax.pure_callback(lambda p: self(p).astype(value.dtype), value, p)

        def forward(p):
            return solve(p), p

        def backward(p, weights):
            slope = jax.ShapeDtypeStruct(p.shape, p.dtype)
            return (jax.pure_callback(lambda p, w: self.vjp(p, w)[1].reshape(p.shape).astype(slope.dtype), slope, p, weights),)

        solve.defvjp(forward, backward)
        return solve(p)


def function(model, by, of=None, times=None, **options):
    """Outputs of a model as a function with gradients: see Function."""
    return Function(model, by, of, times, **options)


def gradient(model, by, of=None, **options):
    """Derivatives of columns at the end of the run, at the values of the model: {column: {name: derivative}}."""
    f = Function(model, by, of, **options)
    found = f._run()
    return {column: dict(zip(f.by, f._pull(found, row).tolist())) for column, row in zip(f.of, np.eye(len(f.of)))}


__all__ = ["Function", "function", "gradient"]
