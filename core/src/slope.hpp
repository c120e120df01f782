// The derivative of a profile, which is again a profile.
#pragma once

#include "svsieve/profile.hpp"

namespace svsieve {

// d phi / ds = factor * phi_slope(s), phi_slope again a profile.
struct Slope {
    double factor;
    Profile profile;
};

inline Slope slope_of(const Profile& profile) {
    Slope slope{1.0, profile};
    switch (profile.kind) {
        case ProfileKind::Identity:
            slope.profile = {ProfileKind::Power, 0.0, 1.0, 1};
            break;
        case ProfileKind::Power:
            slope.factor = profile.gamma * profile.degree;
            slope.profile.degree = profile.degree - 1;
            break;
        case ProfileKind::Exponential:
            slope.factor = -profile.gamma;
            break;
    }
    return slope;
}

}  // namespace svsieve
