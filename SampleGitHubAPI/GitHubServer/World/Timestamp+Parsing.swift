extension Timestamp {
    /// Such as `2011-04-10`, `2011-04-10T20:09:31Z`, `2011-04-10T20:09:31.5+02:00`.
    init?(iso8601 text: String) {
        let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let day = Timestamp.day(halves[0]) else { return nil }
        self = day
        guard halves.count == 2 else { return }
        guard let seconds = Timestamp.time(halves[1]) else { return nil }
        self.seconds += seconds
    }

    /// An IMF-fixdate: `Sun, 10 Apr 2011 20:09:31 GMT`.
    init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT",
            let month = Timestamp.months.firstIndex(of: String(parts[2])),
            let day = Timestamp.day("\(parts[3])-\(month + 1)-\(parts[1])"),
            let seconds = Timestamp.time(parts[4] + "Z")
        else { return nil }
        self = day.adding(seconds: seconds)
    }

    private static func day(_ text: some StringProtocol) -> Timestamp? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let year = number(parts[0], in: 0...9_999),
            let month = number(parts[1], in: 1...12),
            let day = number(parts[2], in: 1...31)
        else { return nil }
        return Timestamp(seconds: CivilDate(year: year, month: month, day: day).daysSince1970 * 86_400)
    }

    /// Seconds since midnight in UTC.
    private static func time(_ text: some StringProtocol) -> Int? {
        guard let (clock, offset) = splittingOffset(of: String(text)) else { return nil }
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let hour = number(parts[0], in: 0...23),
            let minute = number(parts[1], in: 0...59),
            let second = number(parts[2].prefix { $0 != "." }, in: 0...60)
        else { return nil }
        return hour * 3_600 + minute * 60 + second - offset
    }

    private static func splittingOffset(of text: String) -> (clock: Substring, seconds: Int)? {
        if text.last == "Z" { return (text.dropLast(), 0) }
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
        let parts = text[text.index(after: sign)...].split(separator: ":")
        guard parts.count == 2, let hours = number(parts[0], in: 0...14), let minutes = number(parts[1], in: 0...59)
        else { return nil }
        return (text[..<sign], (hours * 3_600 + minutes * 60) * (text[sign] == "-" ? -1 : 1))
    }

    private static func number(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), range.contains(number) else {
            return nil
        }
        return number
    }
}
