#ifndef OCELLI_API_JSON_NUMBER_H_
#define OCELLI_API_JSON_NUMBER_H_

namespace ocelli::api {

// Returns the double that prints as `value` does in its shortest form: 0.7f as 0.7, where plain
// widening would print 0.699999988079071.
double ShortestDouble(float value);

}  // namespace ocelli::api

#endif  // OCELLI_API_JSON_NUMBER_H_
