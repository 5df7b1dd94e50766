# Provides only the header. Programs that call utf8proc (tokenisers, vocabularies of characters) compile, but do not link
# yet.
add_library(utf8proc::utf8proc INTERFACE IMPORTED)
set(utf8proc_FOUND TRUE)
