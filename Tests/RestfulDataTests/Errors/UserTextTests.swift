import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// Errors in words for the users of an app.
@Suite struct UserTextTests {
    private typealias Case = (error: any LocalizedError, text: String, remedy: String?)

    private static let request = RequestSummary(method: "PATCH", url: "https://api.example.com/posts/1?token=secret")
    private static let support = "If this happens again, contact the app's support."
    private static let later = "Try again later."
    private static let signIn = "You have to sign in again."
    private static let unclear = "The server's answer can't be understood."

    private func check(_ cases: [Case]) {
        for (error, text, remedy) in cases {
            #expect(error.errorDescription == text, "\(error)")
            #expect(error.localizedDescription == text, "\(error)")
            #expect(error.recoverySuggestion == remedy, "\(error)")
            for shown in [text, remedy ?? ""] {
                #expect(!shown.contains("://") && !shown.contains("secret") && !shown.contains("Post"), "\(shown)")
            }
        }
    }

    // MARK: The store

    private static let storeErrors: [Case] = [
        (StoreError.models(["Post"]), "The app can't open its data.", support),
        (StoreError.api("Post"), "The app can't open its data.", support),
        (
            StoreError.file(.full, path: "/secret"), "There is no space left on this device.",
            "Free some space, and try again."
        ),
        (
            StoreError.duplicateIdentity(model: "Post", identity: [:]), "This exists already.",
            "Change the values that must be unique, or edit the existing item."
        ),
        (
            StoreError.deleteDenied(model: "Post", identity: [:], relationship: "comments", count: 1),
            "This can't be deleted while another item depends on it.", "Delete those first."
        ),
        (
            StoreError.deleteDenied(model: "Post", identity: [:], relationship: "comments", count: 3),
            "This can't be deleted while 3 others depend on it.", "Delete those first."
        ),
        (StoreError.sharedObject(model: "Post"), "Something went wrong in the app.", support),
        (StoreError.embeddedObject(model: "Post"), "Something went wrong in the app.", support),
        (StoreError.constraint("Post"), "The change can't be stored on this device.", "Correct it, and try again."),
        (
            StoreError.unsendable(model: "Post", property: "viewCount", value: "nan"),
            "View count has a value that can't be stored.", "Enter another value, and try again."
        ),
        (StoreError.readOnlyProperty(model: "Post", property: "views"), "Views can't be changed.", nil),
        (
            StoreError.repeatedMember(model: "Post", property: "labels"), "Labels can't have an item twice.",
            "Choose each item once, and try again."
        ),
        (
            StoreError.validation([ValidationError(fields: ["title": ["can't be blank"]])]), "Title can't be blank",
            "Correct it, and try again."
        ),
        (StoreError.validation([]), "Some values aren't accepted.", "Correct it, and try again."),
        (StoreError.rejected(ImportReport()), "The data can't be read.", later),
        (StoreError.wrongIdentity(model: "Post", parts: [], given: 1), "Something went wrong in the app.", support),
        (StoreError.oversizedQuery(model: "Post", limit: ""), "This search is too large.", "Search for less at once."),
        (StoreError.notSearchable(model: "Post"), "Something went wrong in the app.", support),
        (StoreError.unanswerable(model: "Post", reason: ""), "Something went wrong in the app.", support),
        (StoreError.deletedObject(model: "Post"), "This was deleted.", nil),
        (
            StoreError.lostEdits(models: ["Post"]), "Some changes were lost before they were stored.",
            "Make the changes again."
        ),
        (
            StoreError.closedStore(unsaved: ["Post"]), "The app has closed this data.",
            "Close the screen, and open it again."
        ),
        (StoreError.endedContext, "This screen shows outdated data.", "Close the screen, and open it again."),
        (StoreError.otherActor, "Something went wrong in the app.", support),
        (StoreError.foreignObject(model: "Post"), "Something went wrong in the app.", support),
        (
            StoreError.changedModel(property: "title", now: "Post"), "This screen shows outdated data.",
            "Close the screen, and open it again."
        ),
        (StoreError.timedOut, "Storing the data took too long.", "Try again."),
        (StoreError.cancelled, "This was cancelled.", nil),
        (
            StoreError.several([.deletedObject(model: "Post"), .deletedObject(model: "Post"), .timedOut]),
            "This was deleted.\nStoring the data took too long.", "Try again."
        ),
        (StoreError.several([.cancelled]), "This was cancelled.", nil),
        (
            ValidationError(fields: ["title": ["can't be blank"]], objectErrors: ["There is no owner"]),
            "There is no owner\nTitle can't be blank", "Correct it, and try again."
        ),
    ]

    @Test func `Each error of a store has a text for users`() { check(Self.storeErrors) }

    @Test func `Each problem of a store's file has a text for users`() {
        let reopen = "Quit the app, and open it again."
        let cases: [(StoreError.FileProblem, String, String)] = [
            (
                .notADatabase, "The app's data on this device is damaged.",
                "Restore it from a backup, or contact the app's support."
            ),
            (
                .damaged(""), "The app's data on this device is damaged.",
                "Restore it from a backup, or contact the app's support."
            ),
            (.cannotOpen(""), "The app can't open its data on this device.", Self.support),
            (.unusablePath(""), "The app can't open its data on this device.", Self.support),
            (.other(code: 1, ""), "The app can't open its data on this device.", Self.support),
            (.tooManyOpenFiles, "The app's data is in use.", "Try again in a moment."),
            (.busy, "The app's data is in use.", "Try again in a moment."),
            (.readOnly, "The app isn't allowed to change its data on this device.", Self.support),
            (.full, "There is no space left on this device.", "Free some space, and try again."),
            (.gone, "The app's data was replaced.", reopen),
            (.openWithOtherModels, "Another version of the app uses the data.", reopen),
            (.migratedElsewhere, "Another version of the app uses the data.", reopen),
            (.newerVersion(99), "The data is from a newer version of the app.", "Update the app."),
            (
                .modelsChanged(["Post"]), "This version of the app can't take over the data.",
                "Update the app, or contact its support."
            ),
            (
                .migrationFailed("Post", ""), "This version of the app can't take over the data.",
                "Update the app, or contact its support."
            ),
        ]
        check(cases.map { (StoreError.file($0.0, path: "/secret"), $0.1, $0.2) })
    }

    // MARK: The server

    private static let requestErrors: [Case] = [
        (APIError.noAPI, "The app can't make this request.", support),
        (APIError.notStored(request), "This isn't available offline.", "Connect to the internet, and try again."),
        (APIError.route(.invalidURL("https://secret")), "The app can't make this request.", support),
        (
            APIError.unknownTarget(model: "Post", property: "author", target: "User"),
            "Some of the data isn't loaded yet.", "Refresh, and try again."
        ),
        (
            APIError.partialList(model: "Post", property: "labels"), "Some of the data isn't loaded yet.",
            "Refresh, and try again."
        ),
        (
            APIError.repeatedMember(model: "Post", property: "labels"),
            "Labels can't be sent, as it has an item twice.",
            "Refresh, and try again."
        ),
        (
            APIError.unidentified(model: "Post", property: "author", target: "User"),
            "The server doesn't have this yet.",
            "Save this first, and try again."
        ),
        (
            APIError.unsendable(model: "Post", property: "rating", value: "nan"),
            "Rating has a value that can't be sent.",
            "Enter another value, and try again."
        ),
        (
            APIError.unjoinable(model: "Post", property: "tags", separator: ","),
            "Tags has a value that can't be sent.",
            "Enter another value, and try again."
        ),
        (APIError.alreadyCreated(model: "Post"), "The server has this already.", nil),
        (APIError.notYetCreated(model: "Post"), "The server doesn't have this yet.", "Save this first, and try again."),
        (APIError.unencodable("Post"), "The app can't make this request.", support),
        (APIError.wrongContentType("", body: "", request), "The app can't make this request.", support),
        (
            APIError.transport(TransportError(.connectionFailed("secret"), request)),
            "There is no connection to the server.", "Check your internet connection, and try again."
        ),
        (APIError.otherObject(model: "Post", request), unclear, later),
        (APIError.notCreated(model: "Post", ImportReport(), request), unclear, later),
        (
            APIError.accepted(model: "Post", monitor: nil, request), "The server does this later.",
            "Refresh after a while."
        ),
        (APIError.redirected(to: "https://secret", request), unclear, later),
        (APIError.unread(CancellationError(), request), unclear, later),
        (APIError.stream(.eventTooLarge(limit: 1), request), unclear, later),
        (APIError.noObject(model: "Post", ImportReport(), request), unclear, later),
        (APIError.leftOut(ImportReport(), request), unclear, later),
        (
            APIError.undecidedCreation(model: "Post"),
            "The server's answer was lost, so the server may have this already.",
            "Refresh to see whether it is there. Then try again, or discard the change."
        ),
        (
            APIError.unstored(.file(.full, path: ""), request),
            "The server has the change, but it can't be stored on this device.", "Free some space, and try again."
        ),
        (APIError.store(.timedOut), "Storing the data took too long.", "Try again."),
        (
            APIError.service(.unknownMethod("Post", nearest: nil, methods: [])), "The app can't make this request.",
            support
        ),
    ]

    @Test func `Each error of a request has a text for users`() { check(Self.requestErrors) }

    @Test func `A body that isn't JSON has a text for users`() throws {
        let error = try #require(JSONError(readingFrom: []))
        check([
            (StoreError.json(error), "The data can't be read.", Self.later),
            (APIError.body(error, Self.request), Self.unclear, Self.later),
        ])
    }

    private static let transportErrors: [(TransportError.Reason, String, String?)] = [
        (.invalidURL("secret"), "The app can't make this request.", support),
        (.credentialUnavailable("secret"), signIn, nil),
        (.tokenRefused(OAuth2Error(.refreshToken, .refused(code: "invalid_grant", description: nil))), signIn, nil),
        (.tokenRefused(OAuth2Error(.refreshToken, .storage("secret"))), "Signing in failed.", later),
        (.unreadableBody("secret"), "The file can't be read.", "Choose the file again."),
        (.limited(until: .distantFuture), "There were too many requests.", later),
        (.circuitOpen(until: .distantFuture, failures: 3, "secret"), "The server has a problem.", later),
        (.connectionRefused, "The server doesn't answer.", later),
        (
            .connectionFailed("secret"), "There is no connection to the server.",
            "Check your internet connection, and try again."
        ),
        (
            .tls("secret"), "There is no secure connection to the server.",
            "Check your network, and the date of this device."
        ),
        (.connectionLost, "The connection to the server was lost.", "Try again."),
        (.malformedResponse("secret"), unclear, later), (.undecoded(encoding: "br"), unclear, later),
        (.tooLarge(limit: 1), "The server's answer is too large.", later),
        (.unwritableFile("secret"), "The file can't be stored on this device.", "Free some space, and try again."),
        (.tooManyRedirects(limit: 3), unclear, later), (.redirectLoop(to: "secret"), unclear, later),
        (.insecureRedirect(to: "secret"), unclear, later), (.invalidRedirect(to: "secret", why: ""), unclear, later),
        (.redirectedWrite(to: "secret"), unclear, later),
        (.timedOut(after: .seconds(1)), "The server doesn't answer.", later),
        (.cancelled, "This was cancelled.", nil), (.other("secret"), "The request failed.", later),
    ]

    @Test func `Each failure without a reply has a text for users`() {
        check(Self.transportErrors.map { (TransportError($0.0, Self.request), $0.1, $0.2) })
    }

    // MARK: Replies

    /// The error of a save to which the server replies so.
    @MainActor private func error(status: Int, _ body: String, headerFields: HTTPFields = [:]) async throws -> APIError?
    {
        let service = try Service(
            stub: StubTransport { _ in .json(body, status: status, headerFields: headerFields) })
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        post.title = "new"
        return await failure { try await post.save() }
    }

    @MainActor @Test func `Each kind of a failed reply has a text for users`() async throws {
        let cases: [(status: Int, body: String, text: String, remedy: String?)] = [
            (
                422, #"{"errors": {"title": ["is too long"]}}"#, "The server refused the change: Title is too long",
                "Correct it, and try again."
            ),
            (
                422, #"{"errors": {"title": ["is too long"], "base": ["There is no owner"]}}"#,
                "The server refused the change:\nThere is no owner\nTitle is too long", "Correct it, and try again."
            ),
            (422, "{}", "The server refused the change.", "Correct it, and try again."),
            (401, "{}", Self.signIn, nil), (403, "{}", "You aren't allowed to do this.", nil),
            (403, #"{"message": "Ask an owner"}"#, "You aren't allowed to do this: Ask an owner", nil),
            (403, #"{"message": "See https://example.com"}"#, "You aren't allowed to do this.", nil),
            (404, "{}", "The server doesn't have this.", "Refresh to see what is there."),
            (409, "{}", "Somebody else has changed this.", "Refresh, and make your change again."),
            (429, "{}", "The server gets too many requests.", Self.later),
            (503, "{}", "The server has a problem.", Self.later), (402, "{}", "The server refused the change.", nil),
        ]
        for (status, body, text, remedy) in cases {
            let error = try #require(try await error(status: status, body))
            check([(error, text, remedy)])
        }
    }

    @MainActor @Test func `A fetch that the server refuses isn't called a change`() async throws {
        let service = try Service(replies: ["GET /posts/1": .json("{}", status: 402)])
        let error = await failure { _ = try await Post.fetch(key: 1, in: service.main) }
        #expect(error?.errorDescription == "The server refused the request.")
    }

    @MainActor @Test func `The time that a server demands is a part of the advice`() async throws {
        for (seconds, advice) in [
            ("1", "Try again in a second."), ("30", "Try again in 30 seconds."), ("600", "Try again in 10 minutes."),
            ("150", "Try again in 3 minutes."), ("90000", Self.later),
        ] {
            let error = try await error(status: 503, "{}", headerFields: [.retryAfter: seconds])
            #expect(error?.recoverySuggestion == advice)
        }
    }

    // MARK: Sentences

    @Test(arguments: [
        ("title", "is too long", "Title is too long"), ("createdAt", "is too late", "Created at is too late"),
        ("htmlURL", "is invalid", "Html URL is invalid"),
        ("author.name", "can't be blank", "Author name can't be blank"),
        ("comments[1].text", "is too long", "Comments text is too long"),
        ("title", "This field is required.", "Title: This field is required."),
        ("title", "Title is taken", "Title is taken"), ("title", "", "Title isn't accepted"),
        ("title", "see https://example.com", "Title isn't accepted"), ("title", "太长", "Title: 太长"),
        ("title", "see www.example.com/titles", "Title isn't accepted"),
        ("title", "Not allowed: /posts/1?token=secret", "Title isn't accepted"),
        ("first_name", "is taken", "First name is taken"),
    ])
    func `A message about a property is a sentence`(property: String, message: String, sentence: String) {
        #expect(ValidationError(fields: [property: [message]]).errorDescription == sentence)
    }

    @Test func `Many messages end with the number of further ones`() {
        let fields = Dictionary(uniqueKeysWithValues: "abcdefg".map { ("\($0)", ["is wrong"]) })
        #expect(
            ValidationError(fields: fields).errorDescription
                == "A is wrong\nB is wrong\nC is wrong\nD is wrong\nand 3 more")
    }
}
