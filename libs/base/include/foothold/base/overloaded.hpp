#pragma once

namespace foothold {

/// One function object out of several, for `std::visit`. Without a generic one among them, a new
/// alternative of the variant is a compile error at every visit until each knows it.
///
///     std::visit(Overloaded{[](const Box& box) { … }, [](const Ball& ball) { … }}, set);
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace foothold
