import RestfulData
import RestfulDataTesting
import Testing

/// A locally created row turns out to be a duplicate: its unsent values move to the survivor.
@MainActor @Suite(.timeLimit(.minutes(10))) struct UnifyingTests {
    private func buoy(_ name: String, in service: Service) -> Buoy {
        let buoy = Buoy(in: service.main)
        buoy.name = name
        return buoy
    }

    @Test func `A unified object keeps pending edits, and the server's values otherwise`() async throws {
        let service = try Service(
            [Buoy.self],
            replies: ["GET /buoys/north": .json(#"{"id": 7, "name": "North", "note": "Theirs", "depth": 3}"#)])
        let known = try await service.imported(Buoy.self, #"{"id": 7, "name": "n", "note": "Old", "slug": "n"}"#)
        let other = try await service.imported(Buoy.self, #"{"id": 8, "name": "other"}"#)
        let mine = buoy("north", in: service)
        mine.note = "Mine"
        mine.near = [other]
        mine.anchor = other
        try await service.main.save()
        try await mine.fetch()
        #expect(mine.identifier == 7 && mine.note == "Mine" && mine.depth == 3 && mine.slug == "n")
        #expect(known.note == "Mine" && known.depth == 3)
        #expect(
            try await service.store.contents() == """
                Buoy 7
                  identifier = 7
                  name = "north" (unsent)
                  note = "Mine" (unsent)
                  depth = 3
                  slug = "n"
                  anchor → Buoy 8 (unsent)
                  near → Buoy 8 (unsent)
                Buoy 8
                  identifier = 8
                  name = "other"

                """)
    }

    @Test func `A unified object keeps its memberships, lists and links`() async throws {
        let service = try Service(
            [Buoy.self],
            stub: StubTransport { request in
                request.method == .post ? .status(204) : .json(#"{"id": 7, "name": "north"}"#)
            })
        let known = try await service.imported(Buoy.self, #"{"id": 7, "name": "n"}"#)
        let other = try await service.imported(Buoy.self, #"{"id": 8, "name": "other"}"#)
        let mine = buoy("north", in: service)
        mine.near = [other]
        mine.anchor = other
        other.near = [mine]
        other.anchor = mine
        // The server knows it by now, and has not sent its identity.
        try await mine.create()
        try await service.main.save()
        try await mine.fetch()
        #expect(mine.identifier == 7)
        for buoy in [mine, known] { #expect(buoy.near.map(\.identifier) == [8] && buoy.anchor === other) }
        #expect(other.near.map(\.identifier) == [7] && other.anchor?.identifier == 7)
        #expect(try service.main.query(Buoy.self).count() == 2)
    }

    @Test func `A save in flight during unification is written to the survivor`() async throws {
        let gate = Gate()
        let service = try Service(
            [Buoy.self], values: .marking { _ in gate.pass() },
            stub: StubTransport { _ in .json(#"{"id": 7, "name": "north", "mark": "here"}"#) })
        let known = try await service.imported(Buoy.self, #"{"id": 7, "name": "n"}"#)
        let other = try await service.imported(Buoy.self, #"{"id": 8, "name": "other"}"#)
        let mine = buoy("north", in: service)
        try await service.main.save()
        let fetching = Task { try await mine.fetch() }
        await gate.waitForArrival()
        // The transaction that makes the two rows one is under way; this save comes after it, and was made before.
        mine.note = "Mine"
        mine.near = [other]
        other.anchor = mine
        var hasBegun = false
        let saving = Task {
            hasBegun = true
            try await service.main.save()
        }
        while !hasBegun { await Task.yield() }
        gate.open()
        try await fetching.value
        try await saving.value
        #expect(known.note == "Mine" && known.near.map(\.identifier) == [8] && other.anchor?.identifier == 7)
        let contents = try await service.store.contents()
        for line in ["note = \"Mine\" (unsent)", "near → Buoy 8 (unsent)", "anchor → Buoy 7 (unsent)"] {
            #expect(contents.contains(line), "\(contents)")
        }
        #expect(try service.main.query(Buoy.self).count() == 2)
    }

    @Test(arguments: [false, true], [false, true])
    func `Unifying keeps the later edit of a value and each edit of a list`(
        isMineLater: Bool, isSaved: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Buoy.self])
        let known = try await store.imported(Buoy.self, #"{"id": 7, "name": "n", "note": "Old", "depth": 3}"#)
        let others = try await store.main.import(Buoy.self, from: Array(#"[{"id": 8}, {"id": 9}]"#.utf8)).objects
        let mine = Buoy(in: store.main)
        mine.name = "north"
        if isSaved { try await store.main.save() }
        let creating = Task { try await mine.create() }
        await held.wait(for: 1)
        let inOrder = isMineLater ? [known, mine] : [mine, known]
        for (buoy, note) in zip(inOrder, ["first", "second"]) { buoy.note = note }
        for (buoy, other) in zip(inOrder, others) {
            buoy.anchor = other
            buoy.near = [other]
        }
        held.answer(0, .json(#"{"id": 7, "name": "north", "note": "Theirs", "depth": 4}"#, status: 201))
        try await creating.value
        for buoy in [known, mine] {
            #expect(buoy.note == "second" && buoy.depth == 4 && buoy.anchor === others[1])
            #expect(buoy.near.map(\.identifier) == [9, 8])
            #expect(Set(buoy.changedProperties) == ["note", "anchor", "near"])
        }
        try await store.main.save()
        // Values set through either object are kept from now on.
        mine.note = "third"
        #expect(known.note == "third")
        known.depth = 5
        try await store.main.save()
        let contents = try await store.contents()
        for line in [
            "note = \"third\" (unsent)", "depth = 5 (unsent)", "near → Buoy 9, Buoy 8 (unsent)",
            "anchor → Buoy 9 (unsent)",
        ] {
            #expect(contents.contains(line), "\(contents)")
        }
        #expect(!mine.hasChanges && !known.hasChanges)
        #expect(try store.main.query(Buoy.self).count() == 3)
    }

    @Test(arguments: [false, true])
    func `A new object unifies with a known one once its owner is known`(inDraft: Bool) async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 1, "title": "t"}"#, status: 201) })
        let theirs = try await service.imported(Remark.self, #"{"post": {"id": 1}, "number": 1, "text": "theirs"}"#)
        let draft = inDraft ? try service.main.draft() : nil
        let context = draft?.context ?? service.main
        let (post, mine) = (Post(in: context), Remark(in: context))
        (mine.post, mine.number, mine.text) = (post, 1, "mine")
        try await post.create()
        #expect(post.comments.map(\.text) == ["mine"] && mine.text == "mine" && !mine.isInserted)
        try draft?.save()
        #expect(theirs.text == "mine" && theirs.changedProperties == ["text"])
        try await service.main.save()
        #expect(try service.main.query(Remark.self).count() == 1 && service.main.query(Post.self).count() == 1)
        try await mine.save()
        #expect(service.stub.log.last == #"PATCH /posts/1/comments/1 {"text":"mine"}"#)
    }
}
