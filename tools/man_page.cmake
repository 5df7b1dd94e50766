# Writes PAGE, the man page gradus(1), from the output of PROGRAM --help.
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "(^|\n)(['.])" "\\1\\\\&\\2" help "${help}")  # at the start of a line, ' and . begin a roff command
file(WRITE ${PAGE} ".TH GRADUS 1
.SH NAME
gradus \\- train, use and inspect small translation models with attention
.SH DESCRIPTION
.nf
${help}.fi
")
