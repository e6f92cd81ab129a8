"""Constants of the ageing and the variation model. Seed 004 prints none of them; each has a source here, or says that it is
assumed. A constant that a source gives in another form is converted where it is defined."""
import math
from dataclasses import dataclass, fields

BOLTZMANN = 8.617333262e-5       # eV/K
CHARGE = 1.602176634e-19         # C
EPSILON_0 = 8.8541878128e-21     # F/nm

# S. Bhardwaj, W. Wang, R. Vattikonda, Y. Cao, S. Vrudhula, "Predictive modeling of the NBTI effect for reliable design",
# CICC 2006: the long-term model of which equations 4.2 to 4.6 are a form. It was fitted to 90 nm and 65 nm.
BHARDWAJ = {"K": 8e4, "E_a": 0.49, "E_0": 0.335, "xi_1": 0.9, "xi_2": 0.5, "T_0": 1e-8, "n": 1 / 6}
# R. Vattikonda, W. Wang, Y. Cao, "Modeling and minimization of PMOS NBTI effect for robust nanometer design", DAC 2006: the
# device of 65 nm.
DEVICE = {"V_th": 0.5, "t_ox": 1.8}
PERMITTIVITY = 3.9 * EPSILON_0   # of silicon dioxide


def _overdrive(vdd=1.1):
    return vdd - DEVICE["V_th"]


def _field():
    """E_0 of equation 4.4, in volts: Bhardwaj has K_v^(2n) with exp(2 E_ox / E_0), at n = 1/6."""
    return BHARDWAJ["E_0"] * DEVICE["t_ox"] / (2 * 2 * BHARDWAJ["n"])


def _a_n(vdd=1.1):
    """A_N such that equation 4.2 equals Bhardwaj's model at `vdd`; away from it the two differ, since u() grows with the
    overdrive and theirs with its cube root."""
    n, k = BHARDWAJ["n"], BHARDWAJ["K"]
    capacity = PERMITTIVITY / DEVICE["t_ox"]
    return ((CHARGE * DEVICE["t_ox"] / PERMITTIVITY) ** (6 * n) * (k * k * capacity) ** (2 * n) * _overdrive(vdd) ** (2 * n - 1))


@dataclass(frozen=True)
class Technology:
    """The constants of chapter 4.1.2. Replace them with dataclasses.replace()."""
    vdd: float = 1.1
    vth: float = DEVICE["V_th"]
    r: float = -1.3
    n: float = BHARDWAJ["n"]
    a_n: float = _a_n()
    e_0: float = _field()
    e_a: float = BHARDWAJ["E_a"]
    xi_1: float = 2 * BHARDWAJ["xi_1"] * DEVICE["t_ox"]
    xi_2: float = 2 * DEVICE["t_ox"]
    xi_3: float = BHARDWAJ["xi_2"]
    xi_4: float = 1 / BHARDWAJ["T_0"]
    t_m: float = 30e-6
    hci_share: float = 0.5
    kelvin: float = 353.0
    years: float = 3.0


SOURCES = {
    "vdd": "V, the nominal supply of 65 nm (ITRS 2007, PTM 65 nm)",
    "vth": "V, Vattikonda 2006",
    "r": "minus the exponent of the alpha-power law, 1.3 (T. Sakurai, A. Newton, JSSC 1990): delay goes as (V_dd - V_th)^-1.3",
    "n": "Bhardwaj 2006, diffusion of H2",
    "a_n": "from Bhardwaj's K, the oxide and the charge of an electron, so that 4.2 is theirs at V_dd",
    "e_0": "V, Bhardwaj's 0.335 V/nm times the oxide's thickness and 3/2, which their exponent 2n makes of it",
    "e_a": "eV, Bhardwaj 2006",
    "xi_1": "nm, Bhardwaj's 2 xi_1 t_e, with t_e the whole oxide",
    "xi_2": "nm, Bhardwaj's 2 t_ox",
    "xi_3": "Bhardwaj's xi_2",
    "xi_4": "nm^2/s, Bhardwaj's 1 / T_0",
    "t_m": "s, seed 004, 4.2.2: the polling window",
    "hci_share": "assumed: what HCI adds to NBTI's shift of a core that is always active; it sets A_H, of which no source has "
                 "this form",
    "kelvin": "assumed: one temperature of all cores, where the thesis has HotSpot's",
    "years": "seed 004, 4.3.1: relative delay after three years",
}


@dataclass(frozen=True)
class Variation:
    """The constants of chapter 5.1.1."""
    grid: int = 12
    range: float = 0.5
    least: float = 0.05
    sigma: float = 0.05

    @property
    def alpha(self):
        """Per cell: the correlation has fallen to `least` at `range` of the chip's side."""
        return -math.log(self.least) / (self.range * self.grid)


VARIATION_SOURCES = {
    "grid": "cells along a side of the chip: a multiple of the cores' rows and columns",
    "range": "of the chip's side: S. Sarangi et al., VARIUS, IEEE Trans. Semiconductor Manufacturing 2008, phi = 0.5",
    "least": "assumed: what counts as no correlation; an exponential never reaches 0, as VARIUS's spherical form does",
    "sigma": "assumed: deviation of p in a cell by its mean; VARIUS has 0.063 of V_th and half of that of L_eff",
}


def show():
    """Prints all constants with their sources."""
    for of, sources in ((Technology(), SOURCES), (Variation(), VARIATION_SOURCES)):
        for f in fields(of):
            print(f"{f.name:10} {getattr(of, f.name):12.6g}  {sources[f.name]}")
