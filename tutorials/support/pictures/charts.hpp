#pragma once

#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// Charts of plain numbers.
namespace tutorial {

/// The points (0, y_0), (1, y_1), …
gradus::plot::Series by_index(const std::string& name, const std::vector<double>& y);

/// log10 of y at the indices `places`.
std::vector<double> log10_at(const std::vector<double>& y, const std::vector<std::size_t>& places);

/// A heatmap of a square matrix in row-major order, with rows and columns numbered from 1.
gradus::plot::Heatmap numbered_map(const std::string& title, const std::string& x_label,
                                   const std::string& y_label, const std::vector<double>& values,
                                   double max = 1);

/// Sorts the rows of all heatmaps by the last column of the last heatmap, highest value first. `groups` has
/// names and lower bounds for this value, highest bound first; brackets join the rows of each group. Only the
/// first heatmap shows the names of the groups and the label of the y axis.
void sort_rows(std::vector<gradus::plot::Heatmap>& maps,
               const std::vector<std::pair<std::string, double>>& groups);

}  // namespace tutorial
