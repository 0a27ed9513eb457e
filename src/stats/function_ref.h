// FunctionRef: a call to something that outlives the call, without owning or allocating.
//
// For parameters only: it holds the address of what it was given.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace schedlab::stats {

template <typename Signature>
class FunctionRef;

template <typename Out, typename... In>
class FunctionRef<Out(In...)> {
 public:
  template <typename Callable>

  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Out, Callable&, In...> &&
           !std::is_function_v<std::remove_reference_t<Callable>>)
      // NOLINTNEXTLINE(google-explicit-constructor): a lambda at the call site is the point of the
      // type
      FunctionRef(Callable&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, In... in) -> Out {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<In>(in)...);
        }) {}

  Out operator()(In... in) const { return call_(object_, std::forward<In>(in)...); }

 private:
  void* object_;
  Out (*call_)(void*, In...);
};

}  // namespace schedlab::stats
