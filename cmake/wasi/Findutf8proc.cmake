# Provides only the header. Programs that call utf8proc (tokenisers, vocabularies of characters) compile. Of these, only the
# trainer of the page Play links, with web/wasi/utf8proc.cpp.
add_library(utf8proc::utf8proc INTERFACE IMPORTED)
set(utf8proc_FOUND TRUE)
