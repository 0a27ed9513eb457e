// FunctionRef: a call to something that outlives the call, without owning or allocating.
//
// For parameters only: it holds the address of what it was given.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace schedlab::stats {

/// Objects, not functions, that can be called so, other than a Self.
template <typename Callable, typename Self, typename Out, typename... In>
concept CallableNot = !std::is_same_v<std::remove_cvref_t<Callable>, Self> &&
                      !std::is_function_v<std::remove_pointer_t<std::remove_cvref_t<Callable>>> &&
                      std::is_invocable_r_v<Out, Callable&, In...>;

template <typename Signature>
class FunctionRef;

template <typename Out, typename... In>
class FunctionRef<Out(In...)> {
 public:
  // Both implicit: a lambda or a function's name at the call site is the point of the type.
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  FunctionRef(Out (*function)(In...))
      : target_{.function = function}, call_([](Target target, In... in) -> Out {
          return target.function(std::forward<In>(in)...);
        }) {}

  // The concept leaves copies, and what the constructor above takes, alone.
  template <CallableNot<FunctionRef, Out, In...> Callable>
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload): see above
  FunctionRef(Callable&& callable)
      : target_{.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)))},
        call_([](Target target, In... in) -> Out {
          return (*static_cast<std::remove_reference_t<Callable>*>(target.object))(
              std::forward<In>(in)...);
        }) {}

  Out operator()(In... in) const { return call_(target_, std::forward<In>(in)...); }

 private:
  union Target {
    void* object;
    Out (*function)(In...);
  };

  Target target_;
  Out (*call_)(Target, In...);
};

}  // namespace schedlab::stats
