#include "stats/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "stats/inputs.h"
#include "stats/resampling.h"

namespace schedlab::stats {

namespace {

constexpr std::string_view kValues = "values";
constexpr std::string_view kBoots = "boots";
constexpr std::string_view kBlocks = "blocks";

// One independently drawn sample: clusters of values, in an order that does not depend on the one
// they came in. A plain sample is a cluster per value; a cluster of one value costs no second draw.
class Sample {
 public:
  explicit Sample(std::vector<Cluster> clusters) : clusters_(std::move(clusters)) {
    for (const Cluster& cluster : clusters_)
      size_ += cluster.size();
    std::size_t widest = 0;
    for (const Cluster& cluster : clusters_)
      widest = std::max(widest, cluster.size());
    drawn_.resize(widest * clusters_.size());
  }

  [[nodiscard]] std::size_t count() const { return clusters_.size(); }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] const std::vector<Cluster>& clusters() const { return clusters_; }

  /// All values but those of cluster `left_out`; count() leaves none out.
  std::span<double> all_but(std::size_t left_out) {
    start();
    for (std::size_t i = 0; i < clusters_.size(); ++i)
      if (i != left_out) append(clusters_[i]);
    return drawn();
  }

  std::span<double> everything() { return all_but(clusters_.size()); }

  std::span<double> draw(PositionDrawer& positions) {
    start();
    for (std::size_t i = 0; i < clusters_.size(); ++i)
      append_drawn(positions.below_size(clusters_.size()), positions);
    return drawn();
  }

  // The parts of draw(), for blocks whose arms are drawn together.
  void start() { used_ = 0; }

  void append(const Cluster& cluster) {
    std::copy(cluster.begin(), cluster.end(), drawn_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += cluster.size();
  }

  void append_drawn(std::size_t which, PositionDrawer& positions) {
    const Cluster& cluster = clusters_[which];
    if (cluster.size() == 1) {
      drawn_[used_++] = cluster.front();
      return;
    }
    for (std::size_t i = 0; i < cluster.size(); ++i)
      drawn_[used_++] = cluster[positions.below_size(cluster.size())];
  }

  [[nodiscard]] std::span<double> drawn() { return std::span(drawn_).first(used_); }

 private:
  std::vector<Cluster> clusters_;
  std::vector<double> drawn_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

std::vector<Cluster> one_each(std::span<const double> values) {
  std::vector<Cluster> clusters;
  clusters.reserve(values.size());
  for (const double value : values)
    clusters.push_back({value});
  return clusters;
}

// An order of its own: runs ascending within boots, boots by their runs.
std::vector<Cluster> in_own_order(std::vector<Cluster> clusters) {
  for (Cluster& cluster : clusters)
    std::sort(cluster.begin(), cluster.end());
  std::sort(clusters.begin(), clusters.end());
  return clusters;
}

// Negated and put in its own order.
std::vector<Cluster> negated(std::vector<Cluster> clusters) {
  for (Cluster& cluster : clusters)
    for (double& value : cluster)
      value = -value;
  return in_own_order(std::move(clusters));
}

// Of a sample and its negation one is the lesser; both are drawn in that one's order. (A sample
// that is its own negation needs no care.)
std::vector<Cluster> in_order_free_of_sign(std::vector<Cluster> clusters) {
  std::vector<Cluster> ascending = in_own_order(std::move(clusters));
  std::vector<Cluster> mirror = negated(ascending);
  if (!(mirror < ascending)) return ascending;
  for (Cluster& cluster : mirror)
    for (double& value : cluster)
      value = -value;
  return mirror;
}

Status require_clusters(std::span<const Cluster> clusters, std::string_view unit) {
  for (const Cluster& cluster : clusters) {
    SCHEDLAB_RETURN_IF_ERROR(
        require_sample(cluster, 1, fmt::format("bootstrap: each of the {}", unit)));
  }
  return {};
}

Status require_drawable(std::span<const Cluster> clusters,
                        std::string_view unit,
                        const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_clusters(clusters, unit));
  std::size_t values = 0;
  for (const Cluster& cluster : clusters)
    values += cluster.size();
  return require_resampling(options, clusters.size(), unit, values);
}

Result<BootstrapInterval> bca_of(std::vector<Cluster> clusters,
                                 std::string_view unit,
                                 Figure figure,
                                 const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_drawable(clusters, unit, options));
  Sample sample(in_order_free_of_sign(std::move(clusters)));
  Resampled resampled;
  resampled.estimate = figure(sample.everything());
  resampled.figures.resize(options.resamples);
  PositionDrawer positions(options.seed, 0);
  for (double& out : resampled.figures)
    out = figure(sample.draw(positions));
  resampled.leave_one_out.emplace_back(sample.count());
  for (std::size_t i = 0; i < sample.count(); ++i)
    resampled.leave_one_out[0][i] = figure(sample.all_but(i));
  return bca_interval(std::move(resampled), options.confidence);
}

Result<BootstrapInterval> bca_of_two(std::vector<Cluster> clusters_x,
                                     std::vector<Cluster> clusters_y,
                                     std::string_view unit,
                                     Figure2 figure,
                                     const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_drawable(clusters_x, unit, options));
  SCHEDLAB_RETURN_IF_ERROR(require_drawable(clusters_y, unit, options));
  Sample x(in_own_order(std::move(clusters_x)));
  Sample y(in_own_order(std::move(clusters_y)));
  // Streams belong to the values, not to the arm they are called by: swapped arms draw the same.
  const bool y_first = y.clusters() < x.clusters();
  PositionDrawer positions_x(options.seed, y_first ? 1 : 0);
  PositionDrawer positions_y(options.seed, y_first ? 0 : 1);
  Resampled resampled;
  resampled.estimate = figure(x.everything(), y.everything());
  resampled.figures.resize(options.resamples);
  for (double& out : resampled.figures)
    out = figure(x.draw(positions_x), y.draw(positions_y));
  resampled.leave_one_out.resize(2);
  for (std::size_t i = 0; i < x.count(); ++i)
    resampled.leave_one_out[0].push_back(figure(x.all_but(i), y.everything()));
  for (std::size_t i = 0; i < y.count(); ++i)
    resampled.leave_one_out[1].push_back(figure(x.everything(), y.all_but(i)));
  if (y_first) std::swap(resampled.leave_one_out[0], resampled.leave_one_out[1]);
  return bca_interval(std::move(resampled), options.confidence);
}

// Blocks in an order that neither their own nor the arms' order changes.
void order_blocks(std::vector<Cluster>& x, std::vector<Cluster>& y) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::minmax(x[i], y[i]); };
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const auto one = key(i);
    const auto other = key(j);
    return one != other ? one < other : x[i] < x[j];
  });
  std::vector<Cluster> ordered_x;
  std::vector<Cluster> ordered_y;
  for (const std::size_t i : order) {
    ordered_x.push_back(std::move(x[i]));
    ordered_y.push_back(std::move(y[i]));
  }
  x = std::move(ordered_x);
  y = std::move(ordered_y);
}

void draw_blocks(
    Sample& x, Sample& y, PositionDrawer& blocks, PositionDrawer& runs_x, PositionDrawer& runs_y) {
  x.start();
  y.start();
  for (std::size_t i = 0; i < x.count(); ++i) {
    const std::size_t which = blocks.below_size(x.count());
    x.append_drawn(which, runs_x);
    y.append_drawn(which, runs_y);
  }
}

Result<BootstrapInterval> bca_of_pairs(std::vector<Cluster> clusters_x,
                                       std::vector<Cluster> clusters_y,
                                       std::string_view unit,
                                       Figure2 figure,
                                       const BootstrapOptions& options) {
  if (clusters_x.size() != clusters_y.size()) {
    return usage_error(fmt::format(
        "bootstrap: {} {} cannot be paired with {}", clusters_x.size(), unit, clusters_y.size()));
  }
  SCHEDLAB_RETURN_IF_ERROR(require_drawable(clusters_x, unit, options));
  SCHEDLAB_RETURN_IF_ERROR(require_drawable(clusters_y, unit, options));
  for (std::size_t i = 0; i < clusters_x.size(); ++i) {
    std::sort(clusters_x[i].begin(), clusters_x[i].end());
    std::sort(clusters_y[i].begin(), clusters_y[i].end());
  }
  order_blocks(clusters_x, clusters_y);
  const bool y_first = clusters_y < clusters_x;
  Sample x(std::move(clusters_x));
  Sample y(std::move(clusters_y));
  PositionDrawer blocks(options.seed, 0);
  PositionDrawer runs_x(options.seed, y_first ? 2 : 1);
  PositionDrawer runs_y(options.seed, y_first ? 1 : 2);
  Resampled resampled;
  resampled.estimate = figure(x.everything(), y.everything());
  resampled.figures.resize(options.resamples);
  for (double& out : resampled.figures) {
    draw_blocks(x, y, blocks, runs_x, runs_y);
    out = figure(x.drawn(), y.drawn());
  }
  resampled.leave_one_out.emplace_back();
  for (std::size_t i = 0; i < x.count(); ++i)
    resampled.leave_one_out[0].push_back(figure(x.all_but(i), y.all_but(i)));
  return bca_interval(std::move(resampled), options.confidence);
}

// Before a plain sample is made into clusters: too large a one is refused without work.
Status require_plain(std::span<const double> values,
                     std::string_view unit,
                     const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_resampling(options, values.size(), unit, values.size()));
  return require_sample(values, kBootstrapMinimum, "bootstrap");
}

std::vector<Cluster> copy_of(std::span<const Cluster> clusters) {
  return {clusters.begin(), clusters.end()};
}

}  // namespace

Result<BootstrapInterval> bca(std::span<const double> values,
                              Figure figure,
                              const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_plain(values, kValues, options));
  return bca_of(one_each(values), kValues, figure, options);
}

Result<BootstrapInterval> bca_two_sample(std::span<const double> x,
                                         std::span<const double> y,
                                         Figure2 figure,
                                         const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_plain(x, kValues, options));
  SCHEDLAB_RETURN_IF_ERROR(require_plain(y, kValues, options));
  return bca_of_two(one_each(x), one_each(y), kValues, figure, options);
}

Result<BootstrapInterval> bca_paired(std::span<const double> x,
                                     std::span<const double> y,
                                     Figure2 figure,
                                     const BootstrapOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_plain(x, kBlocks, options));
  SCHEDLAB_RETURN_IF_ERROR(require_plain(y, kBlocks, options));
  return bca_of_pairs(one_each(x), one_each(y), kBlocks, figure, options);
}

Result<BootstrapInterval> bca_clustered(std::span<const Cluster> boots,
                                        Figure figure,
                                        const BootstrapOptions& options) {
  return bca_of(copy_of(boots), kBoots, figure, options);
}

Result<BootstrapInterval> bca_clustered_two_sample(std::span<const Cluster> boots_x,
                                                   std::span<const Cluster> boots_y,
                                                   Figure2 figure,
                                                   const BootstrapOptions& options) {
  return bca_of_two(copy_of(boots_x), copy_of(boots_y), kBoots, figure, options);
}

Result<BootstrapInterval> bca_clustered_paired(std::span<const Cluster> blocks_x,
                                               std::span<const Cluster> blocks_y,
                                               Figure2 figure,
                                               const BootstrapOptions& options) {
  return bca_of_pairs(copy_of(blocks_x), copy_of(blocks_y), kBlocks, figure, options);
}

}  // namespace schedlab::stats
