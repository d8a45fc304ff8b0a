import Conventions
import Testing

@Suite struct ArticleTests {
    @Test(arguments: [
        "an Issue", "a User", "an Author", "an Entry", "an Order", "a Post", "a Unit", "a URL", "an Update",
        "an Unread",
        "an Hour", "a House", "an Uninstall", "a European", "a OneTimeCode", "an Invoice", "a Label",
    ])
    func `A name gets the article that it is spoken with`(_ spoken: String) throws {
        let name = try #require(spoken.split(separator: " ").last)
        #expect(withArticle(String(name)) == spoken)
    }
}
