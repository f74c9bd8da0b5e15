"""Gradients by the adjoint: against sensitivities along the same steps, closed forms, and as functions."""

import math
import sys
import types
import unittest

import numpy as np

import ritt

SWING = """model swing
parameter g = 9.81, L = 2
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + g = 0
  x^2 + y^2 = L^2
start t = 0
  x = L/2, y ~ -2, x' = 0
solve t = 0 .. 1
output x, y
"""
DECAY = "model d\nparameter a = 2\nvariable x\nequation x' = -a*x\nstart t = 0\n  x = 3\nsolve t = 0 .. 1\n"


class Gradient(unittest.TestCase):
    def test_sensitivities(self):
        model = ritt.Model(SWING)
        found = model.gradient("g, L, x'", tol=1e-9)
        run = model.solve(tol=1e-9, sensitivity="g, L, x'")
        # runs of Python control the errors of derivatives, so that the steps are others; law/t_gradient.c compares the same steps
        for column in "x", "y":
            for name in "g", "L", "x'":
                self.assertAlmostEqual(found[column][name], run[f"d({column})/d({name})"][-1], delta=1e-8)

    def test_function(self):
        f = ritt.function(ritt.Model(DECAY), by=["a", "x"], times=[0.5, 1], tol=1e-12)
        value, slope = f.vjp([1.5, 2], [[2], [-1]])
        expected = [2*math.exp(-1.5*t) for t in (0.5, 1)]
        np.testing.assert_allclose(value[:, 0], expected, rtol=1e-10)
        np.testing.assert_allclose(slope, [2*-0.5*expected[0] + expected[1], (2*expected[0] - expected[1])/2], rtol=1e-9)
        np.testing.assert_array_equal(f([1.5, 2]), value)
        with self.assertRaises(ValueError):
            f([1])
        with self.assertRaises(KeyError):
            ritt.function(ritt.Model(DECAY), by="a", of="y")([1])

    def test_refused(self):
        with self.assertRaises(ritt.Error):
            ritt.Model(DECAY).gradient("b")
        with self.assertRaises(ritt.Error):
            ritt.Model(DECAY).gradient("a", method="radau5")

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        p = torch.tensor([1.5, 2.0], dtype=torch.float64, requires_grad=True)
        f = ritt.function(ritt.Model(DECAY), by=["a", "x"], tol=1e-12)
        f.torch(p).sum().backward()
        np.testing.assert_allclose(p.grad.numpy(), [-2*math.exp(-1.5), math.exp(-1.5)], rtol=1e-9)

    def test_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest("JAX is not installed")
        jax.config.update("jax_enable_x64", True)
        f = ritt.function(ritt.Model(DECAY), by=["a", "x"], of=["x"], tol=1e-12)
        slope = jax.grad(lambda p: f.jax(p).sum())(jax.numpy.array([1.5, 2.0]))
        np.testing.assert_allclose(slope, [-2*math.exp(-1.5), math.exp(-1.5)], rtol=1e-9)


class Stubs(unittest.TestCase):
    """The wrappers call PyTorch and JAX as their documentation says; here small modules stand in for them."""

    def test_torch(self):
        class Tensor:
            def __init__(self, values):
                self.values, self.dtype, self.device = np.asarray(values, float), None, None

            def detach(self):
                return self

            cpu = detach

            def numpy(self):
                return self.values

        class Context:
            def save_for_backward(self, *tensors):
                self.saved_tensors = tensors

        class Base:
            @classmethod
            def apply(cls, p):
                context = Context()
                return cls.forward(context, p), lambda weights: cls.backward(context, weights)

        stub = types.SimpleNamespace(autograd=types.SimpleNamespace(Function=Base),
                                     as_tensor=lambda values, dtype, device: Tensor(values))
        before, sys.modules["torch"] = sys.modules.get("torch"), stub
        try:
            f = ritt.function(ritt.Model(DECAY), by=["a", "x"], tol=1e-12)
            value, pull = f.torch(Tensor([1.5, 2]))
            self.assertAlmostEqual(value.values[0, 0], 2*math.exp(-1.5), delta=1e-10)
            np.testing.assert_allclose(pull(Tensor([[1]])).values, [-2*math.exp(-1.5), math.exp(-1.5)], rtol=1e-9)
        finally:
            if before is None:
                del sys.modules["torch"]
            else:
                sys.modules["torch"] = before


if __name__ == "__main__":
    unittest.main()
