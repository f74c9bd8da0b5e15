"""Linearisations and equilibria."""

import numpy as np


def names_of(names):
    """A list of names: from one name, a text with commas, or any iterable."""
    if isinstance(names, str):
        names = names.split(",")
    return [name.strip() for name in names]


class Linearization:
    """x' = A x + B u, y = C x + D u near a point.

    states, inputs, outputs   names
    A, B, C, D                matrices
    eigenvalues               of A, the largest real part first
    modes                     column j belongs to eigenvalue j and has length 1
    frequencies, damping      |Im|/(2 pi) and -Re/|lambda| of each eigenvalue
    x                         the independent variable at the point
    largest_velocity          of the states at the point; 0: an equilibrium
    """

    def __init__(self, found):
        self.states, self.inputs, self.outputs = found["states"], found["inputs"], found["outputs"]
        n, u, y = len(self.states), len(self.inputs), len(self.outputs)

        def matrix(key, *shape):
            return np.frombuffer(found[key]).reshape(shape).copy()

        self.A, self.B = matrix("A", n, n), matrix("B", n, u)
        self.C, self.D = matrix("C", y, n), matrix("D", y, u)
        self.eigenvalues = matrix("eigenvalue_real", n) + 1j * matrix("eigenvalue_imaginary", n)
        self.modes = matrix("mode_real", n, n) + 1j * matrix("mode_imaginary", n, n)
        self.x, self.largest_velocity = found["x"], found["largest_velocity"]

    @property
    def frequencies(self):
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping(self):
        size = np.abs(self.eigenvalues)
        return np.divide(-self.eigenvalues.real, size, out=np.zeros_like(size), where=size > 0)

    def response(self, frequencies):
        """The frequency response D + C (i w - A)^-1 B at w = 2 pi frequencies: an array (frequency, output, input)."""
        w = 2j * np.pi * np.atleast_1d(np.asarray(frequencies, float))
        eye = np.eye(len(self.states))
        return np.array([self.D + self.C @ np.linalg.solve(s * eye - self.A, self.B) for s in w])

    def save(self, path):
        """Writes the matrices, names and eigenvalues to a NumPy archive (.npz)."""
        np.savez(path, A=self.A, B=self.B, C=self.C, D=self.D, eigenvalues=self.eigenvalues, modes=self.modes,
                 states=self.states, inputs=self.inputs, outputs=self.outputs)

    def __repr__(self):
        return f"<ritt.Linearization of {len(self.states)} states: {', '.join(self.states)}>"


class Steady(dict):
    """An equilibrium: the values of the columns by their names, and `linearization` there."""

    def __init__(self, found):
        super().__init__(zip(found["columns"], np.frombuffer(found["values"]).tolist()))
        self.linearization = Linearization(found["linear"])

    @property
    def eigenvalues(self):
        return self.linearization.eigenvalues


__all__ = ["Linearization", "Steady"]
