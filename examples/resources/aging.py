"""How transistors of a core age: equations 4.1 to 4.8 of seed 004 (NBTI and HCI), by the names of its symbols."""
import math
from functools import lru_cache

from technology import BOLTZMANN, Technology

YEAR = 365 * 24 * 3600.0
STEPS = 64  # of the integral in equation 4.2


def u(tech, vdd):
    """Equation 4.4."""
    over = vdd - tech.vth
    return over * math.exp(over / tech.e_0)


def v(tech, kelvin):
    """Equation 4.5."""
    return tech.xi_4 * math.exp(-tech.e_a / (BOLTZMANN * kelvin))


def w(tech, duty, kelvin, seconds):
    """Equation 4.6; 1 where little time has passed, so that the quotient is above 1."""
    diffusion = v(tech, kelvin)
    quotient = (tech.xi_1 + math.sqrt(tech.xi_3 * diffusion * (1 - duty) * tech.t_m)) / (tech.xi_2 + math.sqrt(diffusion * seconds))
    return 1 - max(0.0, 1 - quotient) ** (1 / (2 * tech.n))


@lru_cache(maxsize=None)
def nbti(tech, duty, kelvin, seconds):
    """Equation 4.2: the average shift of the threshold, in volts. The effective duty cycle is uniform between 0 and 1; the
    integral is a sum over the middles of STEPS parts."""
    if not duty or not seconds:
        return 0.0
    total = 0.0
    for i in range(STEPS):
        each = duty * (i + 0.5) / STEPS
        total += (v(tech, kelvin) * each * tech.t_m) ** tech.n / w(tech, each, kelvin, seconds) ** (2 * tech.n)
    return tech.a_n * u(tech, tech.vdd) * total / STEPS


@lru_cache(maxsize=None)
def a_h(tech, hertz):
    """A_H by hci_share: the shift by HCI of a core that is always active, by that of NBTI, after tech.years."""
    seconds = tech.years * YEAR
    unit = u(tech, tech.vdd) * v(tech, tech.kelvin) * math.sqrt(hertz * seconds)
    return tech.hci_share * nbti(tech, 1.0, tech.kelvin, seconds) / unit


def hci(tech, activity, average, hertz, kelvin, seconds, nominal):
    """Equation 4.7: `average` is the block's average activity, `nominal` the clock at which A_H was set."""
    return (a_h(tech, nominal) * math.sqrt(average) * u(tech, tech.vdd) * v(tech, kelvin) * math.sqrt(activity * hertz * seconds))


def delay_of_shift(tech, shift):
    """Equation 4.1."""
    return (1 - shift / (tech.vdd - tech.vth)) ** tech.r - 1


def factor(active, total):
    """Equations 4.3 and 4.8: the part of all cycles in which a core is active, at most 1."""
    return min(1.0, active / total) if total else 0.0


@lru_cache(maxsize=None)
def relative_delay(activity, hertz, nominal, tech=Technology(), years=None):
    """The relative delay of a core after `years` (None: tech.years) of this activity. It is duty cycle and switching activity,
    and its own average: a core is one block whose gates are alike. The shifts of PMOS (NBTI) and NMOS (HCI) add up."""
    seconds = (tech.years if years is None else years) * YEAR
    shift = nbti(tech, activity, tech.kelvin, seconds) + hci(tech, activity, activity, hertz, tech.kelvin, seconds, nominal)
    return delay_of_shift(tech, shift)


def lifetime(activity, hertz, nominal, critical, tech=Technology()):
    """Years until the relative delay reaches `critical`, to 1/1000; at most 100."""
    low, high = 0.0, 100.0
    while high - low > 0.001:
        middle = (low + high) / 2
        if relative_delay(activity, hertz, nominal, tech, middle) < critical:
            low = middle
        else:
            high = middle
    return high
