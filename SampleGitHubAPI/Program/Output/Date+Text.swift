import Foundation

extension Date {
    /// `2026-01-31`, in UTC.
    var day: String { formatted(.iso8601.year().month().day()) }

    /// `2026-01-31T12:00:00Z`
    var text: String { formatted(.iso8601) }
}
