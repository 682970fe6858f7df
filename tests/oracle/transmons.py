"""Reference populations of driven transmons, calculated with QuTiP 5.3.

Prints the numbers of tests/devices/bench/simulated/dynamics/qutip.test.ts:

    python3 -m venv env && env/bin/pip install qutip==5.3.0 && env/bin/python tests/oracle/transmons.py

Every case solves the Lindblad equation of the same transmon (H/h in GHz, times in ns) with the envelopes of
the pulse contract as continuous functions; no code is shared with the simulated chip.
"""

import json
import math

import numpy
import qutip

A = qutip.destroy(3)
N = A.dag() * A
TIGHT = {"atol": 1e-11, "rtol": 1e-9, "max_step": 1.0, "nsteps": 1_000_000}
PI2 = 2 * math.pi


def anharmonic(anharmonicity):
    return anharmonicity / 2 * N * (N - qutip.qeye(3))


def damping(t1, t2, thermal=0.0):
    """Collapse operators: |1><0| and |0><1|, |2><1| at twice the rate, and dephasing of the levels.

    Dephasing is that of a slowly changing frequency: by the number operator.
    """
    down, up = (1 - thermal) / t1, thermal / t1
    zero, one, two = (qutip.basis(3, k) for k in range(3))
    pure = 1 / t2 - (down + up) / 2
    return [
        math.sqrt(down) * zero * one.dag(),
        math.sqrt(up) * one * zero.dag(),
        math.sqrt(2 * down) * one * two.dag(),
        math.sqrt(2 * max(pure, 0)) * N,
    ]


def gaussian(pulse, t):
    """Both quadratures of a pulse at time t: sigma is an eighth of the duration.

    A sample is that of the start of its nanosecond; the mean of the first and the last one is the pedestal.
    """
    inside = t - pulse["at"]
    if inside < 0 or inside > pulse["duration"]:
        return 0j
    if pulse.get("square"):
        return complex(1)

    def sample(k):
        x = (k - pulse["duration"] / 2) * 8 / pulse["duration"]
        return math.exp(-x * x / 2) * (1 - 1j * pulse.get("motzoi", 0) * x)

    return sample(inside - 0.5) - (sample(0) + sample(pulse["duration"] - 1)) / 2


def transmon(pulses, end, f01, anharmonicity, ops=(), start=0):
    """Populations of one transmon in the frame of its own frequency."""

    def drive(t):
        z = 0j
        for pulse in pulses:
            turn = PI2 * (pulse["frequency"] - f01) * t + pulse.get("phase", 0)
            z += pulse["rabi"] * gaussian(pulse, t) * complex(math.cos(turn), math.sin(turn))
        return z

    h = [
        PI2 * anharmonic(anharmonicity),
        [PI2 / 2 * A, lambda t: drive(t)],
        [PI2 / 2 * A.dag(), lambda t: drive(t).conjugate()],
    ]
    edges = sorted({0.0, float(end), *(float(p["at"]) for p in pulses), *(float(p["at"] + p["duration"]) for p in pulses)})
    state = qutip.basis(3, start) * qutip.basis(3, start).dag()
    h = qutip.QobjEvo(h)
    # One call between every two edges, so that the solver never steps over a discontinuity.
    for begin, stop in zip(edges, edges[1:]):
        state = qutip.mesolve(h, state, [begin, stop], c_ops=list(ops), options=TIGHT).states[-1]
    return [round(float(p), 7) for p in state.diag().real]


def rabi_with_drag():
    cases = []
    for duration, amplitude, motzoi, detuning in [
        (20, 0.035, 0.12, 0.0),
        (20, 0.085, -0.1, 0.0015),
        (28, 0.0285, 0.09, 0.0),
        (28, 0.057, -0.09, 0.0),
        (56, 0.0143, 0.05, -0.0008),
        (56, 0.05, 0.2, 0.0),
    ]:
        pulse = {"at": 0, "duration": duration, "frequency": 4.6 + detuning, "rabi": amplitude, "motzoi": motzoi}
        second = dict(pulse, at=duration + 10, phase=0.7)
        cases.append([duration, amplitude, motzoi, detuning, transmon([pulse, second], 2 * duration + 10, 4.6, -0.22)])
    return cases


def detuned_ramsey():
    cases = []
    for delay in [40, 400, 1000, 2600, 5000]:
        half = {"duration": 28, "frequency": 4.6 + 0.0004, "rabi": 0.01425, "motzoi": -0.09}
        pulses = [dict(half, at=0), dict(half, at=28 + delay, phase=0.4)]
        cases.append([delay, transmon(pulses, 56 + delay, 4.6, -0.22, damping(20_000, 9_000, 0.015))])
    return cases


def ef_rabi():
    cases = []
    for rabi in [0.005, 0.0101, 0.015, 0.02]:
        pulses = [
            {"at": 0, "duration": 56, "frequency": 4.6, "rabi": 0.0285, "motzoi": -0.05},
            {"at": 60, "duration": 56, "frequency": 4.38, "rabi": rabi, "motzoi": 0.05},
        ]
        cases.append([rabi, transmon(pulses, 116, 4.6, -0.22)])
    return cases


def parametric_cz():
    """|++> under a tone near the difference of |20> and |11>, with decay; the full two transmons of 9 levels."""
    cases = []
    fa, fb, alpha_a, alpha_b = 5.1, 4.6, -0.2, -0.22
    eye = qutip.qeye(3)
    a, b = qutip.tensor(A, eye), qutip.tensor(eye, A)
    na, nb = a.dag() * a, b.dag() * b
    level = lambda x, y: qutip.tensor(qutip.basis(3, x), qutip.basis(3, y))
    swap = level(2, 0) * level(1, 1).dag()
    project = level(2, 0) * level(2, 0).dag()
    for detuning, coupling, duration in [(0.0, 0.0057, 88), (0.002, 0.0057, 84), (-0.006, 0.005, 120), (0.001, 0.004, 60)]:
        gap = fa - fb + alpha_a
        tone = gap + detuning
        free = PI2 * (
            qutip.tensor(anharmonic(alpha_a), eye) + qutip.tensor(eye, anharmonic(alpha_b)) - 20e-6 * na * nb
        )
        # In the frame of both frequencies |20> lies at alpha_a; the tone couples it to |11>.
        turn = lambda t: complex(math.cos(PI2 * (fa - fb - tone) * t), math.sin(PI2 * (fa - fb - tone) * t))
        h = qutip.QobjEvo(
            [free, [PI2 * coupling * swap, turn], [PI2 * coupling * swap.dag(), lambda t: turn(t).conjugate()]]
        )
        ops = [qutip.tensor(op, eye) for op in damping(30_000, 40_000)]
        ops += [qutip.tensor(eye, op) for op in damping(50_000, 30_000)]
        plus = (qutip.basis(3, 0) + qutip.basis(3, 1)).unit()
        for name, start in (("11", level(1, 1)), ("++", qutip.tensor(plus, plus))):
            rho = qutip.mesolve(h, start * start.dag(), [0, duration], c_ops=ops, options=TIGHT).states[-1]
            after = qutip.tensor(plus, plus) if name == "++" else level(1, 1)
            populations = [round(float(p), 7) for p in rho.diag().real]
            overlap = round(float((after.dag() * rho * after).real), 7)
            cases.append([detuning, coupling, duration, name, populations, overlap])
    return cases


print(json.dumps({
    "qutip": qutip.__version__,
    "rabi": rabi_with_drag(),
    "ramsey": detuned_ramsey(),
    "ef": ef_rabi(),
    "cz": parametric_cz(),
}))
