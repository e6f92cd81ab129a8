"""The programs of bench/suites: where their sources lie below the folder of sources, and what they do."""
from typing import NamedTuple

KINDS = ("integer", "floating point", "SIMD")

# The rounds of a PolyBench kernel with data of medium size.
POLYBENCH = {
    "datamining/correlation": 32, "datamining/covariance": 30, "linear-algebra/blas/gemm": 53, "linear-algebra/blas/gemver": 510,
    "linear-algebra/blas/gesummv": 770, "linear-algebra/blas/symm": 30, "linear-algebra/blas/syr2k": 32,
    "linear-algebra/blas/syrk": 47, "linear-algebra/blas/trmm": 40, "linear-algebra/kernels/2mm": 19,
    "linear-algebra/kernels/3mm": 14, "linear-algebra/kernels/atax": 620, "linear-algebra/kernels/bicg": 460,
    "linear-algebra/kernels/doitgen": 22, "linear-algebra/kernels/mvt": 540, "linear-algebra/solvers/cholesky": 6,
    "linear-algebra/solvers/durbin": 3410, "linear-algebra/solvers/gramschmidt": 13, "linear-algebra/solvers/lu": 6,
    "linear-algebra/solvers/ludcmp": 8, "linear-algebra/solvers/trisolv": 920, "medley/deriche": 10,
    "medley/floyd-warshall": 1, "medley/nussinov": 7, "stencils/adi": 6, "stencils/fdtd-2d": 11, "stencils/heat-3d": 10,
    "stencils/jacobi-1d": 13330, "stencils/jacobi-2d": 19, "stencils/seidel-2d": 2,
}
# The scale of an Embench program.
EMBENCH = {
    "aha-mont64": 3000, "crc32": 1710, "depthconv": 2030, "edn": 1900, "huffbench": 2730, "matmult-int": 3080, "md5sum": 1940,
    "nettle-aes": 1520, "nettle-sha256": 2180, "nsichneu": 1010, "picojpeg": 2260, "qrduino": 1450, "sglib-combined": 1350, "slre": 1500,
    "statemate": 1480, "tarfind": 12000, "ud": 2000, "wikisort": 4290, "xgboost": 680,
}
# Parts of nbench: its switch in the command file, its kind, and the seconds that its clock must reach.
NBENCH = {
    "numsort": ("DONUMSORT", "integer", 20), "strsort": ("DOSTRINGSORT", "integer", 20), "bitfield": ("DOBITFIELD", "integer", 6),
    "emfloat": ("DOEMF", "integer", 8), "fourier": ("DOFOUR", "floating point", 10), "assign": ("DOASSIGN", "integer", 1),
    "idea": ("DOIDEA", "integer", 2), "huffman": ("DOHUFF", "integer", 1), "nnet": ("DONNET", "floating point", 2),
    "lu.nb": ("DOLU", "floating point", 50),
}


# Kernels of PolyBench once more, of floats, for GCC's vectoriser: the rounds.
POLYBENCH_VECTORS = {
    "datamining/correlation": 40, "linear-algebra/blas/gemm": 100, "linear-algebra/kernels/2mm": 40, "linear-algebra/kernels/atax": 1200,
    "stencils/fdtd-2d": 20, "stencils/heat-3d": 20, "stencils/jacobi-2d": 40, "medley/deriche": 20,
}
# Loops of TSVC: prefixes of their names, and the rounds.
TSVC = {
    "dependence": ("s1", 1), "reordering": ("s21 s22 s23 s24", 1), "expansion": ("s25 s26", 1), "control": ("s27 s28 s29", 1),
    "reductions": ("s31", 1), "recurrences": ("s32 s33 s34 s35", 1), "addressing": ("s4", 1), "basics": ("v", 1),
}
# Libraries with intrinsics of both machines, called by a driver in vectors/: sources, options, rounds, arguments.
LIBRARIES = {
    "xxh3": ("@vectors/xxhash.c", "", 1, "4000"),
    "blake3": ("@vectors/blake3.c", "-IBLAKE3/c", 1, "1000"),
    "pffft": ("@vectors/pffft.c pffft/src/pffft.c pffft/src/pffft_common.c", "-DPFFFT_ENABLE_NEON -Ipffft/include -Ipffft/include/pffft", 1, "30000"),
    "kissfft": ("@vectors/kissfft.c kissfft/kiss_fft.c", "-ffast-math", 1, "10000"),
    "resize": ("@vectors/resize.c", "", 1, "100"),
    "jpeg": ("@vectors/jpeg.c", "", 1, "100"),
    "base64": ("@vectors/base64.c base64/lib/lib.c base64/lib/codec_choose.c base64/lib/tables/tables.c base64/lib/arch/*/codec.c",
               "-Ibase64/lib", 1, "3000"),
    "mp3": ("@vectors/mp3.c", "", 10, "minimp3/vectors/l3-test45.bit"),
    "webp": ("@vectors/webp.c libwebp/src/*/*.c libwebp/sharpyuv/*.c", "-Ilibwebp -Ilibwebp/src", 1, "100"),
}


class Program(NamedTuple):
    """A program: its suite, its kind, patterns of its sources below the folder (of ours: "@" and the path from here), GCC's
    further options, and how it is run."""
    suite: str
    kind: str
    sources: str
    options: str = "-O2"
    rounds: int = 1
    arguments: str = ""
    input: str = "/dev/null"
    lines: str = ""  # what is compared: lines that match; "": all that is printed


def polybench():
    for path, rounds in POLYBENCH.items():
        name = path.rpartition("/")[2]
        yield name, Program("PolyBench/C", "integer" if name in ("floyd-warshall", "nussinov") else "floating point",
                            f"PolyBenchC-4.2.1/{path}/{name}.c PolyBenchC-4.2.1/utilities/polybench.c",
                            "-O3 -DMEDIUM_DATASET -IPolyBenchC-4.2.1/utilities", rounds)


def vectors():
    for path, rounds in POLYBENCH_VECTORS.items():
        name = path.rpartition("/")[2]
        yield f"{name}.v", Program("PolyBench/C", "SIMD", f"PolyBenchC-4.2.1/{path}/{name}.c PolyBenchC-4.2.1/utilities/polybench.c",
                                   "-O3 -ffast-math -DDATA_TYPE_IS_FLOAT -DMEDIUM_DATASET -IPolyBenchC-4.2.1/utilities", rounds)
    for name, (prefixes, rounds) in TSVC.items():
        yield f"tsvc.{name}", Program("TSVC", "SIMD", "@vectors/tsvc.c TSVC_2/src/common.c TSVC_2/src/dummy.c", "-O3 -ffast-math", rounds, prefixes)
    for name, (sources, options, rounds, words) in LIBRARIES.items():
        yield name, Program("libraries", "SIMD", sources, f"-O3 {options}", rounds, words)
    yield "edn.v", PROGRAMS["edn"]._replace(kind="SIMD", options=PROGRAMS["edn"].options.replace("-O2", "-O3"))
    yield "matmult-int.v", PROGRAMS["matmult-int"]._replace(kind="SIMD", options=PROGRAMS["matmult-int"].options.replace("-O2", "-O3"))
    yield "linpack.v", PROGRAMS["linpack"]._replace(kind="SIMD", options="-O3 -ffast-math -Dclock=program_clock")


def embench():
    for name, scale in EMBENCH.items():
        yield name, Program("Embench-IoT", "integer", f"embench-iot/src/{name}/*.c embench-iot/support/main.c embench-iot/support/beebsc.c",
                            f"-O2 -Iembench-iot/support -DWARMUP_HEAT=0 -DGLOBAL_SCALE_FACTOR={scale}")


def nbench():
    for name, (_, kind, _) in NBENCH.items():
        yield name, Program("nbench", kind, "nbench/nbench0.c nbench/nbench1.c nbench/sysspec.c nbench/misc.c nbench/emfloat.c nbench/hardware.c",
                            "-O3 -DLINUX -DLONG64 -Dclock=program_clock", 1, f"-cNBENCH.{name.upper()}", lines=r"(?!.*\b20\d\d\b)")


def mibench(*rows):
    for name, kind, sources, options, rounds, arguments, read in rows:
        yield name, Program("MiBench", kind, " ".join("mibench/" + s for s in sources.split()), options, rounds, arguments, read)


def game(*rows):
    for name, kind, source, rounds, arguments in rows:
        yield name, Program("Benchmarks Game", kind, f"game/bench/{source}.gcc", "-O3 -x c", rounds, arguments)


PROGRAMS = dict([
    *embench(),
    *mibench(
        ("basicmath", "floating point", "automotive/basicmath/basicmath_large.c automotive/basicmath/rad2deg.c automotive/basicmath/cubic.c automotive/basicmath/isqrt.c",
         "-O2", 2, "", "/dev/null"),
        ("bitcount", "integer", "automotive/bitcount/bit[ac]*.c automotive/bitcount/bstr_i.c", "-O2 -Dclock=program_clock", 1, "12000000", "/dev/null"),
        ("qsort", "floating point", "automotive/qsort/qsort_large.c", "-O2", 15, "mibench/automotive/qsort/input_large.dat", "/dev/null"),
        ("susan.s", "integer", "automotive/susan/susan.c", "-O2", 20, "mibench/automotive/susan/input_large.pgm built/susan.out -s", "/dev/null"),
        ("susan.e", "integer", "automotive/susan/susan.c", "-O2", 80, "mibench/automotive/susan/input_large.pgm built/susan.out -e", "/dev/null"),
        ("susan.c", "integer", "automotive/susan/susan.c", "-O2", 120, "mibench/automotive/susan/input_large.pgm built/susan.out -c", "/dev/null"),
        ("dijkstra", "integer", "network/dijkstra/dijkstra_large.c", "-O2", 14, "mibench/network/dijkstra/input.dat", "/dev/null"),
        ("stringsearch", "integer", "office/stringsearch/*_large.c office/stringsearch/bmha*.c", "-O2", 1000, "", "/dev/null"),
        ("blowfish", "integer", "security/blowfish/bf.c security/blowfish/bf_cfb64.c security/blowfish/bf_skey.c security/blowfish/bf_enc.c", "-O2", 10,
         "e mibench/security/sha/input_large.asc built/blowfish.out 1234567890abcdeffedcba0987654321", "/dev/null"),
        ("crc", "integer", "telecomm/CRC32/crc_32.c", "-O2", 26, "mibench/security/sha/input_large.asc", "/dev/null"),
        ("fft", "floating point", "telecomm/FFT/main.c telecomm/FFT/f*.c", "-O2", 10, "8 32768", "/dev/null"),
        ("adpcm", "integer", "telecomm/adpcm/src/rawcaudio.c telecomm/adpcm/src/adpcm.c", "-O2", 100, "", "mibench/telecomm/gsm/data/large.au"),
        ("gsm", "integer", "telecomm/gsm/src/[acglprst]*.c telecomm/gsm/src/decode.c", "-O2 -DSASR -DSTUPID_COMPILER -DNeedFunctionPrototypes=1 -Imibench/telecomm/gsm/inc", 5,
         "-fps -c mibench/telecomm/gsm/data/large.au", "/dev/null"),
    ),
    ("coremark", Program("CoreMark", "integer", "coremark/core_*.c coremark/posix/core_portme.c",
                         "-O2 -Icoremark -Icoremark/posix '-DFLAGS_STR=\"\"' -DPERFORMANCE_RUN=1", 1, "0x0 0x0 0x66 12000 7 1 2000", lines=r"\[0\]crc|seedcrc")),
    ("dhrystone", Program("Dhrystone 2.1", "integer", "dhry/v2.1/dhry_[12].c", "-O2 -DTIME", input="dhrystone.runs", lines=r"(?!.*(time|[Ss]econd|Ptr_Comp))")),
    ("whetstone", Program("Whetstone", "floating point", "netlib/whetstone.c", "-O2 -DPRINTOUT", 1, "120000", lines=r" *\d")),
    ("linpack", Program("LINPACK", "floating point", "netlib/linpack.c", "-O3 -Dclock=program_clock", 60)),
    ("stream", Program("STREAM", "SIMD", "stream/stream.c", "-O3 -DSTREAM_ARRAY_SIZE=400000 -DNTIMES=100", 6, lines=r"Solution")),
    *nbench(),
    *game(
        ("nbody", "floating point", "nbody/nbody.gcc-6", 1, "6000000"),
        ("spectralnorm", "floating point", "spectralnorm/spectralnorm", 1, "3200"),
        ("fannkuch", "integer", "fannkuchredux/fannkuchredux", 3, "10"),
        ("fannkuch-3", "integer", "fannkuchredux/fannkuchredux.gcc-3", 3, "10"),
        ("binarytrees", "integer", "binarytrees/binarytrees", 1, "16"),
        ("fasta", "floating point", "fasta/fasta.gcc-5", 1, "3000000"),
        ("mandelbrot", "floating point", "mandelbrot/mandelbrot.gcc-2", 1, "3000"),
        ("fastaredux", "floating point", "fastaredux/fastaredux.gcc-5", 1, "15000000"),
    ),
    *polybench(),
])
PROGRAMS.update(vectors())
