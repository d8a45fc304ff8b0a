import Foundation
import Testing

@testable import GitHubServer

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "2000-02-29T00:00:00Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_399, "2100-02-28T23:59:59Z", "Sun, 28 Feb 2100 23:59:59 GMT"),
        (-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func `A timestamp is formatted and parsed in both formats`(seconds: Int, iso8601: String, httpDate: String) {
        let timestamp = Timestamp(seconds: seconds)
        #expect(timestamp.iso8601 == iso8601)
        #expect(timestamp.httpDate == httpDate)
        #expect(Timestamp(iso8601: iso8601) == timestamp)
        #expect(Timestamp(httpDate: httpDate) == timestamp)
    }

    @Test func `Timestamps are formatted as by Foundation`() {
        for seconds in stride(from: -3_000_000_000, to: 6_000_000_000, by: 8_640_001 + 86_399) {
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(Timestamp(seconds: seconds).iso8601 == date.formatted(.iso8601))
        }
    }

    @Test(arguments: [
        ("2011-04-10", 1_302_393_600), ("2011-04-10T20:09:31+02:00", 1_302_458_971),
        ("2011-04-10T20:09:31.250Z", 1_302_466_171), ("2011-04-10T20:09:31-00:30", 1_302_467_971),
    ])
    func `Timestamps of other formats are parsed`(_ text: String, _ seconds: Int) {
        #expect(Timestamp(iso8601: text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "soon", "2011", "2011-13-01", "2011-04-10T", "2011-04-10T25:00:00Z", "2011-04-10T20:09:31", "-1-1-1",
    ])
    func `Texts that are no dates are not parsed`(_ text: String) {
        #expect(Timestamp(iso8601: text) == nil)
        #expect(Timestamp(httpDate: text) == nil)
    }
}
