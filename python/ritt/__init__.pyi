from numbers import Real
from os import PathLike
from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

Value = Union[Real, str]
Values = Union[Value, ArrayLike]

class Error(Exception):
    status: int
    messages: list[dict[str, Any]]
    line: int | None
    column: int | None
    file: str | None
    hint: str | None
    source: str | None

class ModelError(Error): ...
class UndecidedError(Error): ...
class Retry(Exception): ...

class Check(dict[str, Any]):
    model: str
    verdict: str
    reason: str | None
    kind: str | None
    unknowns: int
    equations: int
    variables: list[str]
    invariants: int
    text: str | None
    degrees_of_freedom: int | None
    index: int | None
    hidden_constraints: int | None
    dependent_equations: list[str]
    undetermined_variables: list[str]
    non_unique: list[str]
    moved: list[dict[str, Any]]
    singular_points: list[str]
    notes: list[str]
    messages: list[dict[str, Any]]

class Completed(str):
    latex: str

class Parameter:
    name: str
    value: float | NDArray[np.float64]
    unit: str | None
    doc: str | None
    elements: tuple[str, ...]
    @property
    def shape(self) -> tuple[int, ...]: ...

class Variable:
    name: str
    unit: str | None
    doc: str | None
    shape: tuple[int, ...]
    elements: tuple[str, ...]

class Part:
    name: str
    parameters: Mapping[str, Parameter]
    variables: Mapping[str, Variable]
    parts: Mapping[str, Part]

class Equation(str):
    name: str | None
    latex: str
    line: int

class Event:
    name: str
    before: NDArray[np.float64]
    after: NDArray[np.float64] | None
    @property
    def t(self) -> float: ...

class Result:
    names: list[str]
    rows: NDArray[np.float64]
    title: str
    status: int
    success: bool
    message: str
    messages: list[dict[str, Any]]
    stats: dict[str, Any]
    units: dict[str, str]
    events: list[Event]
    t_events: list[NDArray[np.float64]]
    y_events: list[NDArray[np.float64]]
    @property
    def t(self) -> NDArray[np.float64]: ...
    @property
    def y(self) -> NDArray[np.float64]: ...
    def __getitem__(self, name: str) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...
    def to_frame(self) -> Any: ...
    def to_xarray(self) -> Any: ...
    def sol(self, t: ArrayLike) -> NDArray[np.float64]: ...
    def plot(self, *names: str, x: str | None = ..., ax: Any = ..., **style: Any) -> Any: ...
    def phase(self, x: str, y: str, z: str | None = ..., ax: Any = ..., **style: Any) -> Any: ...
    def section(self, event: str, x: str, y: str, ax: Any = ..., **style: Any) -> Any: ...
    def view(self, path: str | PathLike[str] | None = ...) -> Moving: ...
    def animate(self, path: str | PathLike[str] | None = ...) -> Moving: ...

class Moving:
    data: bytes
    path: str | PathLike[str] | None

class Linearization:
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: NDArray[np.float64]
    eigenvalues: NDArray[np.complex128]
    modes: NDArray[np.complex128]
    x: float
    largest_velocity: float
    @property
    def frequencies(self) -> NDArray[np.float64]: ...
    @property
    def damping(self) -> NDArray[np.float64]: ...
    def response(self, frequencies: ArrayLike) -> NDArray[np.complex128]: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class Steady(dict[str, float]):
    linearization: Linearization
    @property
    def eigenvalues(self) -> NDArray[np.complex128]: ...

class Stepper:
    names: list[str]
    @property
    def t(self) -> float: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    def input(self, name: str, u: float, *derivatives: float) -> None: ...
    def run_to(self, t: float) -> np.ndarray: ...
    def row(self) -> np.ndarray: ...
    def __getitem__(self, name: str) -> float: ...

class Model:
    @classmethod
    def from_text(cls, text: str, name: str = ...) -> Model: ...
    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def independent(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def text(self) -> str: ...
    @property
    def doc(self) -> str | None: ...
    @property
    def parameters(self) -> Mapping[str, Parameter]: ...
    @property
    def variables(self) -> Mapping[str, Variable]: ...
    @property
    def parts(self) -> Mapping[str, Part]: ...
    @property
    def equations(self) -> list[Equation]: ...
    @property
    def invariants(self) -> list[str]: ...
    @property
    def events(self) -> list[str]: ...
    @property
    def outputs(self) -> dict[str, str | None]: ...
    def with_set(self, values: Mapping[str, Values] | None = ..., **more: Values) -> Model: ...
    def check(self) -> Check: ...
    def complete(self, involutive: bool = ...) -> Completed: ...
    def stepper(
        self,
        *,
        set: Mapping[str, Any] | None = ...,
        start: Mapping[str, Any] | None = ...,
        begin: float | None = ...,
        tol: float | None = ...,
        method: str | None = ...,
        **options: Any,
    ) -> Stepper: ...
    def export_fmu(
        self,
        path: str | PathLike[str] | None = ...,
        *,
        fmi: int = ...,
        kind: str = ...,
        set: Mapping[str, Any] | None = ...,
        start: Mapping[str, Any] | None = ...,
        tol: float | None = ...,
        method: str | None = ...,
        **options: Any,
    ) -> str: ...
    def linearize(
        self,
        at: float | str | None = ...,
        *,
        inputs: str | Sequence[str] = ...,
        moving: str | Sequence[str] = ...,
        hold: str | Sequence[str] = ...,
        set: Mapping[str, Any] | None = ...,
        start: Mapping[str, Any] | None = ...,
        **options: Any,
    ) -> Linearization: ...
    def steady(
        self,
        *,
        moving: str | Sequence[str] = ...,
        hold: str | Sequence[str] = ...,
        set: Mapping[str, Any] | None = ...,
        start: Mapping[str, Any] | None = ...,
    ) -> Steady: ...
    def gradient(
        self, by: str | Sequence[str], of: str | Sequence[str] | None = ..., **options: Any
    ) -> dict[str, dict[str, float]]: ...
    def sweep(self, span: float | str | Sequence[float] | None = ..., **options: Any) -> Ensemble: ...
    def solve(
        self,
        span: float | str | Sequence[float] | None = ...,
        *,
        set: Mapping[str, Values] | None = ...,
        start: Mapping[str, Values] | None = ...,
        tol: float | None = ...,
        method: str | None = ...,
        t_eval: ArrayLike | None = ...,
        **options: Value,
    ) -> Result: ...

class Fit:
    names: list[str]
    values: dict[str, float]
    deviations: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    covariance: NDArray[np.float64]
    residuals: NDArray[np.float64]
    cost: float
    iterations: int
    converged: bool
    bounded: list[str]
    run: Result

def fit(
    model: Model,
    data: Mapping[str, ArrayLike],
    vary: str | Sequence[str] | Mapping[str, float],
    *,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = ...,
    weights: Mapping[str, float] | None = ...,
    loss: str = ...,
    scale: float = ...,
    starts: int = ...,
    seed: int = ...,
    confidence: float = ...,
    set: Mapping[str, Any] | None = ...,
    start: Mapping[str, Any] | None = ...,
    tol: float = ...,
    max_iterations: int = ...,
    **options: Any,
) -> Fit: ...

class Function:
    by: list[str]
    of: list[str] | None
    times: NDArray[np.float64] | None
    def __init__(
        self,
        model: Model,
        by: str | Sequence[str],
        of: str | Sequence[str] | None = ...,
        times: ArrayLike | None = ...,
        *,
        set: Mapping[str, Any] | None = ...,
        start: Mapping[str, Any] | None = ...,
        **options: Any,
    ) -> None: ...
    def __call__(self, p: ArrayLike) -> NDArray[np.float64]: ...
    def vjp(self, p: ArrayLike, weights: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def torch(self, p: Any) -> Any: ...
    def jax(self, p: Any) -> Any: ...

def function(
    model: Model, by: str | Sequence[str], of: str | Sequence[str] | None = ..., times: ArrayLike | None = ..., **options: Any
) -> Function: ...

class Orbit:
    names: list[str]
    start: dict[str, float]
    period: float
    multipliers: NDArray[np.complex128]
    monodromy: NDArray[np.float64]
    stable: bool | None
    residual: float
    iterations: int

def orbit(
    model: Model,
    start: Mapping[str, float],
    period: float,
    *,
    fixed_period: bool = ...,
    segments: int = ...,
    hold: str | Sequence[str] = ...,
    set: Mapping[str, Any] | None = ...,
    begin: float | None = ...,
    tol: float = ...,
    max_iterations: int = ...,
    **options: Any,
) -> Orbit: ...
def solve_dae(
    fun: Callable[..., ArrayLike],
    t_span: Sequence[float],
    y0: ArrayLike,
    yp0: ArrayLike | None = ...,
    *,
    constraints: Callable[..., ArrayLike] | None = ...,
    events: Callable[..., float] | Sequence[Callable[..., float]] | None = ...,
    jac: Callable[..., Any] | None = ...,
    t_eval: ArrayLike | None = ...,
    method: str | None = ...,
    tol: float | None = ...,
    args: Any = ...,
    vectorized: bool = ...,
    dense_output: bool = ...,
    symbolic: bool | None = ...,
    **options: Value,
) -> Result: ...
class Random(str): ...

class Ensemble:
    names: list[str]
    units: dict[str, str]
    values: dict[str, NDArray[np.float64]]
    t: NDArray[np.float64] | None
    rows: NDArray[np.float64] | None
    last: NDArray[np.float64]
    stats: dict[str, NDArray[Any]]
    status: NDArray[np.int_]
    messages: list[str | None]
    ended_by: list[str | None]
    @property
    def success(self) -> NDArray[np.bool_]: ...
    @property
    def failed(self) -> dict[int, str]: ...
    @property
    def final(self) -> Any: ...
    def __getitem__(self, name: str) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...
    def statistics(self, name: str, bins: Any = ...) -> dict[str, Any]: ...
    def __dlpack__(self, **keywords: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def on_device(self, name: str | None = ..., device: str | None = ...) -> Any: ...
    def to_frame(self) -> Any: ...

class Expression:
    text: str
    def __add__(self, other: Any) -> Expression: ...
    def __sub__(self, other: Any) -> Expression: ...
    def __mul__(self, other: Any) -> Expression: ...
    def __truediv__(self, other: Any) -> Expression: ...
    def __pow__(self, other: Any) -> Expression: ...
    def __neg__(self) -> Expression: ...
    def __abs__(self) -> Expression: ...
    def __radd__(self, other: Any) -> Expression: ...
    def __rsub__(self, other: Any) -> Expression: ...
    def __rmul__(self, other: Any) -> Expression: ...
    def __rtruediv__(self, other: Any) -> Expression: ...
    def __rpow__(self, other: Any) -> Expression: ...

class Unknown(Expression):
    name: str
    order: int
    def d(self, order: int = ...) -> Unknown: ...

class Builder:
    def __init__(self, name: str = ..., title: str | None = ..., independent: str = ...) -> None: ...
    @property
    def t(self) -> Expression: ...
    def parameter(self, name: str, value: Any) -> Expression: ...
    def parameters(self, **values: Any) -> list[Expression]: ...
    def variable(self, name: str) -> Unknown: ...
    def variables(self, names: str) -> list[Unknown]: ...
    def equation(self, left: Any, right: Any = ...) -> None: ...
    def invariant(self, left: Any, right: Any = ...) -> None: ...
    def output(self, *expressions: Any, **named: Any) -> None: ...
    def start(self, values: Mapping[Any, Value] | None = ..., guess: Mapping[Any, Value] | None = ..., at: Value = ...) -> None: ...
    def text(self, end: Value | None = ...) -> str: ...
    def model(self, end: Value | None = ...) -> Model: ...

def from_sympy(
    equations: Any,
    parameters: Mapping[Any, Any] | None = ...,
    start: Mapping[Any, Any] | None = ...,
    guess: Mapping[Any, Any] | None = ...,
    *,
    begin: Value = ...,
    end: Value | None = ...,
    outputs: Any = ...,
    invariants: Sequence[Any] = ...,
    name: str = ...,
    title: str | None = ...,
) -> Model: ...
def normal(mean: Value, deviation: Value) -> Random: ...
def uniform(low: Value, high: Value) -> Random: ...
def show_progress(stream: Any = ..., pause: float = ...) -> Callable[[int, int], None]: ...
def sweep(
    model: Model,
    span: float | str | Sequence[float] | None = ...,
    *,
    vary: Mapping[str, Values | Random] | Sequence[Mapping[str, Value]] | None = ...,
    runs: int | None = ...,
    seed: int | None = ...,
    set: Mapping[str, Values] | None = ...,
    start: Mapping[str, Values] | None = ...,
    tol: float | None = ...,
    method: str | None = ...,
    t_eval: ArrayLike | None = ...,
    threads: int | None = ...,
    executor: Any = ...,
    progress: Callable[[int, int], Any] | None = ...,
    max_time: float | None = ...,
    device: str | None = ...,
    arithmetic: str = ...,
    **options: Value,
) -> Ensemble: ...
def methods() -> list[dict[str, Any]]: ...
def options() -> list[dict[str, Any]]: ...
def load_ipython_extension(shell: Any) -> None: ...
