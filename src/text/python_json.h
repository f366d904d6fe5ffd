#ifndef OCELLI_TEXT_PYTHON_JSON_H_
#define OCELLI_TEXT_PYTHON_JSON_H_

#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Rewrites JSON text in the form of Python's json.dumps(json.loads(text), ensure_ascii=False),
// which is what chat templates show to the model: keys in their order, ", " and ": " between, no
// line breaks, floats in Python's shortest form. **Errors**: kInvalidArgument for text that is not
// JSON or nests deeper than 128.
Result<std::string> ToPythonJson(std::string_view json);

}  // namespace ocelli

#endif  // OCELLI_TEXT_PYTHON_JSON_H_
