#include "vertex_memory.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

namespace foothold::optimism {
namespace {

// Calls `kernel` with a width and a start for blocks that cover n vertices, an even number, so that
// the sums of a block stay in registers. (Loops of a known length inside of others are unrolled by
// g++ before it looks for vectors in them, and then it finds none.)
template <typename Kernel>
void over_blocks(Eigen::Index n, Kernel&& kernel) {
  Eigen::Index k = 0;
  for (; k + 8 <= n; k += 8) {
    kernel(std::integral_constant<int, 8>{}, k);
  }
  if (k + 4 <= n) {
    kernel(std::integral_constant<int, 4>{}, k);
    k += 4;
  }
  if (k < n) {
    kernel(std::integral_constant<int, 2>{}, k);
  }
}

// Rows k, k + 1, … of column i.
template <typename Block, typename Matrix>
auto block(const Matrix& matrix, Eigen::Index i, Eigen::Index k) {
  return Eigen::Map<const Block>(matrix.data() + i * matrix.rows() + k);
}

// tau_rho/norm; without a direction the cone supports nothing. Loops, since `select` of Eigen 3.4
// works entry by entry.
template <typename Block>
Block support_weights(const Block& tau_rho, const Block& norm) {
  Block weights;
#pragma GCC unroll 1
  for (Eigen::Index lane = 0; lane < Block::SizeAtCompileTime; ++lane) {
    weights(lane) = norm(lane) > 0.0 ? tau_rho(lane) / norm(lane) : 0.0;
  }
  return weights;
}

// What is not a number bounds nothing.
template <typename Block>
Block without_nan(const Block& bound) {
  Block result;
#pragma GCC unroll 1
  for (Eigen::Index lane = 0; lane < Block::SizeAtCompileTime; ++lane) {
    result(lane) = std::isnan(bound(lane)) ? -kInfinity : bound(lane);
  }
  return result;
}

}  // namespace

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
      dual_(dim) {
  for (std::vector<Eigen::Index>& rows : rows_) {
    rows.reserve(index(dim) + 1);
    bases_.emplace_back(dim);
  }
}

void VertexMemory::keep(Eigen::Index k, const Eigen::VectorXd& x, const Eigen::VectorXd& Q_x,
                        double norm, double tau, const Eigen::VectorXd* r, double h_eta) {
  with_fixed_dim(x.size(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(x.size());
    for (Eigen::Index i = 0; i < d; ++i) {
      X_(k, i) = x(i);
      QX_(k, i) = Q_x(i);
    }
  });
  norm_(k) = norm;
  if (r != nullptr) {
    R_.row(k) = r->transpose();
  }
  tau_(k) = tau;
  h_eta_(k) = h_eta;
  is_set_[index(k)] = 1;
}

void VertexMemory::follow(const Eigen::VectorXd& w, double share) {
  with_fixed_dim(w.size(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(w.size());
    over_blocks(2 * d, [&](auto width, Eigen::Index k) {
      using Block = Eigen::Array<double, width.value, 1>;
      Block along = Block::Zero();  // share·wᵀx of each vertex
      for (Eigen::Index i = 0; i < d; ++i) {
        along += w(i) * block<Block>(X_, i, k);
      }
      along *= share;
      Block norm_sq = Block::Zero();
      for (Eigen::Index i = 0; i < d; ++i) {
        const Block Q_x = block<Block>(QX_, i, k) - w(i) * along;
        Eigen::Map<Block>(QX_.data() + i * 2 * d + k) = Q_x;
        norm_sq += block<Block>(X_, i, k) * Q_x;
      }
      Eigen::Map<Block>(norm_.data() + k) = norm_sq.max(0.0).sqrt();
    });
  });
}

void VertexMemory::rebuild(const Eigen::MatrixXd& Q) {
  QX_.noalias() = X_ * Q;
  norm_ = X_.cwiseProduct(QX_).rowwise().sum().cwiseMax(0.0).cwiseSqrt();
}

void VertexMemory::bound_all(const cone::QuadraticCone& cone, const cone::ConeProgram& domain,
                             const Eigen::MatrixXd& V, Eigen::VectorXd& bounds) {
  const bool has_rows = R_.cols() > 0;
  with_fixed_dim(X_.cols(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(X_.cols());
    over_blocks(2 * d, [&](auto width, Eigen::Index k) {
      using Block = Eigen::Array<double, width.value, 1>;
      const Block tau = block<Block>(tau_, 0, k);
      const Block norm = block<Block>(norm_, 0, k);
      const auto scale = support_weights<Block>(tau * cone.rho, norm);
      Block bound = -tau * cone.c - block<Block>(h_eta_, 0, k);
      for (Eigen::Index i = 0; i < d; ++i) {
        Block g = block<Block>(V, i, k) + tau * cone.a(i) + scale * block<Block>(QX_, i, k);
        if (has_rows) {
          g += block<Block>(R_, i, k);
        }
        bound += (g * domain.lower(i)).min(g * domain.upper(i));
      }
      Eigen::Map<Block>(bounds.data() + k) = without_nan<Block>(bound);
    });
  });
}

double VertexMemory::best_bound(const cone::QuadraticCone& cone, const cone::ConeProgram& domain,
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

void VertexMemory::transfer(const cone::QuadraticCone& cone, const cone::ConeProgram& domain,
                            const Eigen::MatrixXd& V, const Eigen::VectorXd& offsets,
                            Eigen::Index source, Eigen::VectorXd& bounds) {
  const double tau = tau_(source);
  const double weight = norm_(source) > 0.0 ? tau * cone.rho / norm_(source) : 0.0;
  const double constant = tau * cone.c + h_eta_(source);
  with_fixed_dim(X_.cols(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(X_.cols());
    over_blocks(2 * d, [&](auto width, Eigen::Index k) {
      using Block = Eigen::Array<double, width.value, 1>;
      Block proved = block<Block>(offsets, 0, k) - constant;
      for (Eigen::Index i = 0; i < d; ++i) {
        const double shift =
            (R_.cols() > 0 ? R_(source, i) : 0.0) + tau * cone.a(i) + weight * QX_(source, i);
        const Block g = block<Block>(V, i, k) + shift;
        proved += (g * domain.lower(i)).min(g * domain.upper(i));
      }
      Eigen::Map<Block> bound(bounds.data() + k);
      bound = (proved > bound).select(proved, bound);  // not where it is no number
    });
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

}  // namespace foothold::optimism
