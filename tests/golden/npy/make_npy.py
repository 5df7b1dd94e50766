"""Writes the .npy files in this folder with NumPy: /usr/bin/python3 tests/golden/npy/make_npy.py"""
import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent


def save(name, array, version=(1, 0)):
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)


cube = np.arange(24).reshape(2, 3, 4)
save("f4", (cube / 8).astype("<f4"))
save("f8", (cube / 10).astype("<f8"))
save("i8", (cube - 12 + 2**60).astype("<i8"))
save("fortran", np.asfortranarray((cube / 8).astype("<f4")))
save("version_2", np.array([1.5, -2.5], "<f8"), (2, 0))
save("version_3", np.array([1.5, -2.5], "<f8"), (3, 0))
save("scalar", np.array(2.5, "<f4"))
save("empty", np.zeros((3, 0), "<i8"))
save("i4", np.array([1, 2], "<i4"))
save("big_endian", np.array([1, 2], ">f4"))
save("records", np.zeros(2, [("a", "<f4")]))
