# Provides only the header, so that code that calls utf8proc (tokenisers, vocabularies of characters) compiles. A program with
# such code also needs web/wasi/utf8proc.cpp, which only the trainer of the page Play has.
add_library(utf8proc::utf8proc INTERFACE IMPORTED)
set(utf8proc_FOUND TRUE)
