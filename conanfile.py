"""A recipe for Conan 2. No build has tested it yet. gradus is tested with the libraries of Debian 12. The recipe requires the
same versions, except of OpenBLAS: 0.3.20 instead of 0.3.21."""

import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Gradus(ConanFile):
    name = "gradus"
    description = "A reverse-mode autograd framework in C++20"
    license = "MIT"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    requires = "nlohmann_json/3.11.2", "openblas/0.3.20", "utf8proc/2.8.0", "xtensor-blas/0.20.0", "zlib/1.2.13"
    exports = "CMakeLists.txt"
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", *(
        f"{folder}/*" for folder in ("files", "autograd", "nn", "data", "plot", "graph", "models", "speech", "compress", "serve",
                                     "distributed", "web"))

    def set_version(self):
        text = (pathlib.Path(self.recipe_folder) / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(gradus VERSION ([\d.]+)", text)[1]

    def requirements(self):
        self.requires("xtensor/0.24.3", transitive_headers=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "TUTORIALS", "TOOLS", "BENCHMARKS"):
            toolchain.cache_variables[f"GRADUS_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # gradusConfig.cmake is installed
        self.cpp_info.builddirs = ["lib/cmake/gradus"]
