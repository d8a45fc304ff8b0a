/// The words and names that the bodies are made of.
enum Text {
    static let api = "https://api.github.com"
    static let web = "https://github.com"

    private static let common = [
        "after", "anchor", "beacon", "before", "cannot", "chart", "compass", "crash", "current", "deck", "depth",
        "drift", "empty", "fails", "fog", "handle", "harbour", "lantern", "large", "ledger", "list", "log", "missing",
        "mooring", "on", "option", "order", "pilot", "reads", "release", "report", "rope", "sail", "slow", "sometimes",
        "sounding", "test", "the", "tide", "twice", "upgrade", "when", "wind", "with", "writes", "wrong",
    ]
    /// Hard cases for a reader: quotes, backslashes, control characters, scripts of two, three and four bytes, joined
    /// emoji.
    private static let odd = [
        "\"port\"", "C:\\charts", "tab\tstop", "Ærø", "Ελλάδα", "灯台", "🌊", "👩🏽‍🚀", "<b>", "zero\u{200B}width",
        "e\u{301}tude",
    ]

    static func words(_ range: ClosedRange<Int>, oddPercent: Int = 0, _ chance: inout Chance) -> String {
        let count = chance.number(in: range)
        return (0..<count)
            .map { _ in chance.happens(percent: oddPercent) ? chance.pick(odd) : chance.pick(common) }
            .joined(separator: " ")
    }

    static func name(_ number: Int) -> String { "\(common[number % common.count])-\(number)" }

    /// An opaque identifier of the length that GitHub's have.
    static func node(_ kind: String, _ id: Int) -> String {
        let digits = String(id, radix: 36, uppercase: true)
        return "\(kind)_kwDO" + String(repeating: "A", count: max(14 - digits.count, 0)) + digits
    }

    /// This number of seconds after the beginning of 2014, in a calendar with 28 days in each month.
    static func date(_ seconds: Int) -> String {
        let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
        let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        let (days, hour) = hours.quotientAndRemainder(dividingBy: 24)
        let (months, day) = days.quotientAndRemainder(dividingBy: 28)
        let (years, month) = months.quotientAndRemainder(dividingBy: 12)
        return "\(2014 + years)-\(two(month + 1))-\(two(day + 1))T\(two(hour)):\(two(minute)):\(two(second))Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
