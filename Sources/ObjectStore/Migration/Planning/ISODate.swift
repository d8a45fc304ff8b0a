import Foundation

/// A stored date as ISO 8601 text, which reads back as the same number of seconds.
enum ISODate {
    static func text(_ seconds: Double) -> String {
        let seconds = (seconds * 1_000_000).rounded() / 1_000_000
        let whole = seconds.rounded(.down)
        // The year 9999 ends at 253402300800; beyond it, and before the year 1, ISO 8601 has no common form.
        guard seconds.isFinite, whole >= -62_135_596_800, whole < 253_402_300_800 else { return "\(seconds)" }
        let date = Date(timeIntervalSince1970: whole).formatted(.iso8601)
        let fraction = fractionText(seconds - whole)
        return date.dropLast() + fraction + "Z"
    }

    /// `.25`; the six digits that a `Double` of this age holds.
    private static func fractionText(_ fraction: Double) -> String {
        let micro = Int((fraction * 1_000_000).rounded())
        guard micro > 0, micro < 1_000_000 else { return "" }
        var digits = String(micro)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }
}
