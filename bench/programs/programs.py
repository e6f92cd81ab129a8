"""Other people's programs: Debian's packages, which this project was not tuned for.

The list was made before any of them was measured. Each runs alone, in one thread where it has a switch for that, and its
output depends on nothing but its input.
"""
from typing import NamedTuple

KINDS = ("integer", "floating point", "SIMD")


class Program(NamedTuple):
    """A program of a package, and what it is asked to do in the folder of inputs."""
    kind: str
    package: str
    command: str  # words separated by blanks; names of inputs are relative
    lines: str = ""  # a regular expression of the lines that are its result; the others tell times (default: all are)


PROGRAMS = {
    "awk": Program("integer", "gawk", "gawk -f words.awk text"),
    "bc": Program("integer", "bc", "bc -l pi.bc"),
    "brotli": Program("integer", "brotli", "brotli -q 7 -c text"),
    "bzip2": Program("integer", "bzip2", "bzip2 -9 -c text"),
    "grep": Program("integer", "grep", "grep -cE \\b([a-z]{4,})[a-z]*.*\\b\\1 text"),
    "gzip": Program("integer", "gzip", "gzip -9 -n -c text"),
    "lua": Program("integer", "lua5.4", "lua5.4 queens.lua"),
    "perl": Program("integer", "perl-base", "perl words.pl text"),
    "python": Program("integer", "python3.13-minimal,libpython3.13-stdlib", "python3.13 -S objects.py"),
    "quickjs": Program("integer", "quickjs", "qjs richards.js"),
    "sort": Program("integer", "coreutils", "sort --parallel=1 -f -k 3 text text text text text"),
    "sqlite": Program("integer", "sqlite3", "sqlite3 -init tables.sql :memory: .quit"),
    "xz": Program("integer", "xz-utils", "xz -T1 -1 -c text"),
    "z3": Program("integer", "z3", "z3 pigeons.smt2"),
    "zstd": Program("integer", "zstd", "zstd -q --single-thread -12 -c text"),
    "flac": Program("floating point", "flac", "flac -s -8 -c sound.wav"),
    "lame": Program("floating point", "lame", "lame --quiet sound.wav -"),
    "oggenc": Program("floating point", "vorbis-tools", "oggenc -Q -s 1 -o - sound.wav"),
    "lp_solve": Program("floating point", "lp-solve", "lp_solve -S3 transport.lp"),
    "ngspice": Program("floating point", "ngspice", "ngspice -b oscillators.cir", r"\d+\t"),
    "sox": Program("floating point", "sox", "sox -R sound.wav -t raw - reverb pitch 300 equalizer 1000 1q 6"),
    "cjpeg": Program("SIMD", "libjpeg-turbo-progs", "cjpeg -quality 92 -optimize picture.ppm"),
    "cwebp": Program("SIMD", "webp", "cwebp -quiet -m 5 picture.ppm -o -"),
    "numpy": Program("SIMD", "python3-numpy", "python3 matrices.py"),
    "aes": Program("SIMD", "openssl", "openssl enc -aes-256-cbc -K 00 -iv 00 -in sound.wav"),
    "sha256": Program("SIMD", "openssl", "openssl dgst -sha256 noise"),
    "x264": Program("SIMD", "x264", "x264 --threads 1 --quiet --demuxer y4m -o - --muxer raw film.y4m"),
}
