// The scalar part of a kernel: k(x, z) = phi(s), s from a pairing.
//
//   Identity      phi(s) = s
//   Power         phi(s) = (gamma s + coef0)^degree, degree a positive integer
//   Exponential   phi(s) = exp(-gamma s)
#pragma once

namespace svsieve {

enum class ProfileKind { Identity, Power, Exponential };

struct Profile {
    ProfileKind kind = ProfileKind::Identity;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 1;
};

}  // namespace svsieve
