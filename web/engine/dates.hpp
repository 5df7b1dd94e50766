#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gradus::web {

/// The right target for a source of the task "dates": "1998-03-03" for "3rd of march 1998", "mar 3, 1998",
/// "03/03/98" or "03.03.1998". As in the task, the month comes first in dates with slashes, and the day in
/// dates with full stops. Years of two digits are 1969 to 2068. Words that are not months, such as weekdays,
/// are ignored. std::nullopt if the text is not a date.
std::optional<std::string> iso_date(std::string_view text);

}  // namespace gradus::web
