"""Seeds of tests with random input, as gencc/referee/seed.h."""
import os
import random


def default():
    """Returns $GENCC_SEED, or another number each time."""
    given = os.environ.get("GENCC_SEED")
    return int(given, 0) if given else random.SystemRandom().randrange(1 << 32)
