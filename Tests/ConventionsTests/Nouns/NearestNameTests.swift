import Conventions
import TestSupport
import Testing

@Suite struct NearestNameTests {
    private static let known = ["login", "name", "id", "full_name", "repository.full_name", "created_at", "number"]

    @Test(arguments: [
        ("nme", "name"), ("fullName", "full_name"), ("full-name", "full_name"), ("fulname", "full_name"),
        ("lgoin", "login"), ("repository.ful_name", "repository.full_name"), ("craeted_at", "created_at"),
        ("Number", "number"), ("numbr", "number"), ("ids", "id"), ("login", "login"),
    ])
    func `A misspelt name is matched to the nearest known name`(_ written: String, _ meant: String) {
        #expect(nearestName(to: written, among: Self.known) == meant)
    }

    @Test(
        arguments: ["x", "xy", "", "assignee", "zzzzz", "repository", LongText(repeating: "a", count: 5000)]
            as [LongText])
    func `A name unlike all known ones is matched to none`(_ written: LongText) {
        #expect(nearestName(to: written.text, among: Self.known) == nil)
    }

    @Test func `The first of several equally near names is taken`() {
        #expect(nearestName(to: "bat", among: ["cat", "hat"]) == "cat")
        #expect(nearestName(to: "bat", among: []) == nil)
    }
}
