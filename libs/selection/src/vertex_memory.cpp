#include "vertex_memory.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/error.hpp"
#include "foothold/base/fixed_dim.hpp"
#include "foothold/base/infinity.hpp"

namespace foothold::selection {

VertexMemory::VertexMemory(Eigen::Index dim, bool has_rows)
    : X_(Eigen::MatrixXd::Zero(2 * dim, dim)),
      QX_(Eigen::MatrixXd::Zero(2 * dim, dim)),
      R_(Eigen::MatrixXd::Zero(2 * dim, has_rows ? dim : 0)),
      tau_(Eigen::VectorXd::Zero(2 * dim)),
      h_eta_(Eigen::VectorXd::Zero(2 * dim)),
      norm_(Eigen::VectorXd::Zero(2 * dim)),
      is_set_(index(2 * dim), 0),
      side_(index(2 * dim * dim), 0),
      rows_(has_rows ? index(2 * dim) : 0),
      scale_(2 * dim),
      zeroes_(Eigen::VectorXd::Zero(2 * dim)),
      dual_(dim) {
  for (std::vector<Eigen::Index>& rows : rows_) {
    rows.reserve(index(dim) + 1);
    bases_.emplace_back(dim);
  }
}

void VertexMemory::keep(Eigen::Index k, const Eigen::VectorXd& x, const Eigen::VectorXd& Q_x,
                        double tau, const Eigen::VectorXd* r, double h_eta) {
  X_.row(k) = x.transpose();
  QX_.row(k) = Q_x.transpose();
  if (r != nullptr) {
    R_.row(k) = r->transpose();
  }
  tau_(k) = tau;
  h_eta_(k) = h_eta;
  norm_(k) = std::sqrt(std::max(x.dot(Q_x), 0.0));
  is_set_[index(k)] = 1;
}

void VertexMemory::follow(const Eigen::VectorXd& w, double growth) {
  with_fixed_dim(w.size(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(w.size());
    const Eigen::Index n = 2 * d;
    double* __restrict along = scale_.data();  // wᵀx of each vertex
    double* __restrict norm_sq = norm_.data();
    const double* __restrict X = X_.data();
    double* __restrict images = QX_.data();
    for (Eigen::Index k = 0; k < n; ++k) {
      along[k] = 0.0;
      norm_sq[k] = 0.0;
    }
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index k = 0; k < n; ++k) {
        along[k] += w(i) * X[i * n + k];
      }
    }
    for (Eigen::Index i = 0; i < d; ++i) {
      const double weight = w(i) / growth;
      for (Eigen::Index k = 0; k < n; ++k) {
        const double Q_x = images[i * n + k] - weight * along[k];
        images[i * n + k] = Q_x;
        norm_sq[k] += X[i * n + k] * Q_x;
      }
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      norm_sq[k] = std::sqrt(std::max(norm_sq[k], 0.0));
    }
  });
}

void VertexMemory::rebuild(const Eigen::MatrixXd& Q) {
  QX_.noalias() = X_ * Q;
  norm_ = X_.cwiseProduct(QX_).rowwise().sum().cwiseMax(0.0).cwiseSqrt();
}

void VertexMemory::bound_all(const QuadraticCone& cone, const ConeProgram& domain,
                             const Eigen::MatrixXd& V, Eigen::VectorXd& bounds) {
  with_fixed_dim(X_.cols(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(X_.cols());
    const Eigen::Index n = 2 * d;
    double* __restrict bound = bounds.data();
    double* __restrict scale = scale_.data();
    const double* __restrict tau = tau_.data();
    for (Eigen::Index k = 0; k < n; ++k) {
      // Without a direction the cone supports nothing.
      scale[k] = norm_(k) > 0.0 ? tau[k] * cone.rho / norm_(k) : 0.0;
      bound[k] = -tau[k] * cone.c - h_eta_(k);
    }
    for (Eigen::Index i = 0; i < d; ++i) {
      const double* v = V.data() + i * n;
      const double* r = row_part(i);  // of zeroes for a box
      const double* Q_x = QX_.data() + i * n;
      const double a = cone.a(i);
      const double low = domain.lower(i);
      const double high = domain.upper(i);
      for (Eigen::Index k = 0; k < n; ++k) {
        const double g = v[k] + r[k] + tau[k] * a + scale[k] * Q_x[k];
        bound[k] += std::min(g * low, g * high);
      }
    }
    for (Eigen::Index k = 0; k < n; ++k) {  // what is not a number bounds nothing
      bound[k] = bound[k] == bound[k] ? bound[k] : -kInfinity;
    }
  });
}

double VertexMemory::best_bound(const QuadraticCone& cone, const ConeProgram& domain,
                                const Eigen::VectorXd& v, Eigen::Index k, signed char* side) {
  const double weight = norm_(k) > 0.0 ? cone.rho / norm_(k) : 0.0;
  dual_.p = v;
  if (R_.cols() > 0) {
    dual_.p += R_.row(k).transpose();
  }
  dual_.g = cone.a + weight * QX_.row(k).transpose();
  dual_.c = cone.c;
  const double best = dual_.maximise(domain.lower, domain.upper, tau_(k));
  if (side != nullptr) {
    dual_.read_sides(side);
  }
  return best - h_eta_(k);
}

void VertexMemory::transfer(const QuadraticCone& cone, const ConeProgram& domain,
                            const Eigen::MatrixXd& V, const Eigen::VectorXd& offsets,
                            Eigen::Index source, Eigen::VectorXd& bounds) {
  const double tau = tau_(source);
  const double weight = norm_(source) > 0.0 ? tau * cone.rho / norm_(source) : 0.0;
  with_fixed_dim(X_.cols(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(X_.cols());
    const Eigen::Index n = 2 * d;
    double* __restrict proved = scale_.data();
    for (Eigen::Index k = 0; k < n; ++k) {
      proved[k] = offsets(k) - (tau * cone.c + h_eta_(source));
    }
    for (Eigen::Index i = 0; i < d; ++i) {
      const double* v = V.data() + i * n;
      const double shift =
          (R_.cols() > 0 ? R_(source, i) : 0.0) + tau * cone.a(i) + weight * QX_(source, i);
      const double low = domain.lower(i);
      const double high = domain.upper(i);
      for (Eigen::Index k = 0; k < n; ++k) {
        const double g = v[k] + shift;
        proved[k] += std::min(g * low, g * high);
      }
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      bounds(k) = std::max(bounds(k), proved[k]);
    }
  });
}

void VertexMemory::save(ByteWriter& out) const {
  out.write(X_);
  out.write(QX_);
  out.write(R_);
  out.write(tau_);
  out.write(h_eta_);
  out.write(norm_);
  for (const char is_set : is_set_) {
    out.write(static_cast<std::int64_t>(is_set));
  }
  for (const signed char side : side_) {
    out.write(static_cast<std::int64_t>(side));
  }
  for (const std::vector<Eigen::Index>& rows : rows_) {
    out.write(static_cast<std::uint64_t>(rows.size()));
    for (const Eigen::Index row : rows) {
      out.write(static_cast<std::int64_t>(row));
    }
  }
}

void VertexMemory::restore(ByteReader& in, Eigen::Index row_count) {
  const auto require = [](bool condition) {
    if (!condition) {
      throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold warm starts of this problem");
    }
  };
  X_ = in.read_matrix(X_.rows(), X_.cols());
  QX_ = in.read_matrix(QX_.rows(), QX_.cols());
  R_ = in.read_matrix(R_.rows(), R_.cols());
  tau_ = in.read_matrix(tau_.size(), 1);
  h_eta_ = in.read_matrix(h_eta_.size(), 1);
  norm_ = in.read_matrix(norm_.size(), 1);
  for (char& is_set : is_set_) {
    is_set = static_cast<char>(in.read_integer() != 0 ? 1 : 0);
  }
  for (signed char& side : side_) {
    const std::int64_t value = in.read_integer();
    require(value >= -1 && value <= 1);
    side = static_cast<signed char>(value);
  }
  for (std::vector<Eigen::Index>& rows : rows_) {
    const std::uint64_t count = in.read_word();
    require(count <= static_cast<std::uint64_t>(X_.cols()));
    rows.resize(count);
    for (Eigen::Index& row : rows) {
      row = in.read_integer();
      require(row >= 0 && row < row_count);
    }
  }
}

}  // namespace foothold::selection
