//! The two sums that figures are made of: a median, and the exponent of a growth.

use std::time::Duration;

/// The median; of an even number the mean of the two in the middle. `None` without samples.
pub(crate) fn median(samples: &[Duration]) -> Option<Duration> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some((upper + *sorted.get(middle.checked_sub(1)?)?) / 2)
}

/// The `k` of `time = c · size^k`, by least squares over the logarithms. 1 is linear, 2 quadratic.
///
/// `None` with fewer than two different sizes, or with a size or a time that is not above zero.
pub(crate) fn exponent(points: &[(usize, Duration)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points
        .iter()
        .map(|(size, time)| (f64::from(u32::try_from(*size).unwrap_or(u32::MAX)).ln(), time.as_secs_f64().ln()))
        .collect();
    let count = f64::from(u32::try_from(logarithms.len()).ok()?);
    let mean_x = logarithms.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread = logarithms.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>();
    let together = logarithms.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    let exponent = together / spread;
    exponent.is_finite().then_some(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(values: &[u64]) -> Vec<Duration> {
        values.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn the_median_is_the_middle_and_not_moved_by_an_outlier() {
        assert_eq!(median(&ms(&[5])), Some(Duration::from_millis(5)));
        assert_eq!(median(&ms(&[900, 1, 3])), Some(Duration::from_millis(3)));
        assert_eq!(median(&ms(&[4, 1, 900, 2])), Some(Duration::from_millis(3)));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn the_exponent_of_a_power_is_found_whatever_its_factor() {
        let grown = |k: i32, factor: f64| -> Vec<(usize, Duration)> {
            [100_u32, 1000, 2000, 10_000]
                .iter()
                .map(|n| (*n as usize, Duration::from_secs_f64(factor * f64::from(*n).powi(k))))
                .collect()
        };
        for (k, factor) in [(1, 1e-4), (1, 0.3), (2, 1e-6)] {
            let found = exponent(&grown(k, factor)).expect("an exponent");
            assert!((found - f64::from(k)).abs() < 1e-4, "{found} and not {k}");
        }
    }

    #[test]
    fn a_growth_between_linear_and_quadratic_is_told_as_such() {
        let points = [(1000, Duration::from_millis(100)), (10_000, Duration::from_millis(3162))];
        let found = exponent(&points).expect("an exponent");
        assert!((found - 1.5).abs() < 1e-3, "{found}");
    }

    #[test]
    fn without_two_sizes_or_with_nothing_measured_there_is_no_exponent() {
        assert_eq!(exponent(&[]), None);
        assert_eq!(exponent(&[(100, Duration::from_secs(1))]), None);
        assert_eq!(exponent(&[(100, Duration::from_secs(1)), (100, Duration::from_secs(2))]), None);
        assert_eq!(exponent(&[(100, Duration::ZERO), (1000, Duration::from_secs(1))]), None);
    }
}
