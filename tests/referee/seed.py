"""Where tests with random input begin: as gencc/referee/seed.h."""
import os
import random


def default():
    """$GENCC_SEED, or another number each time."""
    given = os.environ.get("GENCC_SEED")
    return int(given, 0) if given else random.SystemRandom().randrange(1 << 32)
