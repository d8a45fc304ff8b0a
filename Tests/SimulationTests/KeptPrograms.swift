import Testing

/// A program that once showed a fault, as short as it got, and must find nothing.
struct KeptProgram: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [Step]
    /// Whether it still fails.
    let isOpen: Bool

    init(_ name: String, isOpen: Bool = false, _ steps: [Step]) {
        self.name = name
        self.steps = steps
        self.isOpen = isOpen
    }

    var testDescription: String { name }
}

extension KeptProgram {
    static let all = edits + fetchedMeanwhile + lists + deletions + moves + replies + links + parts

    /// Owners 1 and 2, items 3 and 4, badges 5 and 6, label 7, at the server and in both contexts.
    private static let world: [Step] = [
        .make(in: 0, .owner(1)), .make(in: 0, .owner(2)), .make(in: 0, .item(3)), .make(in: 0, .item(4)),
        .make(in: 0, .badge(5)), .make(in: 0, .badge(6)), .make(in: 0, .label(7)),
        .create(in: 0, .owner(1), .whole), .create(in: 0, .owner(2), .whole), .create(in: 0, .item(3), .whole),
        .create(in: 0, .item(4), .whole), .create(in: 0, .badge(5), .whole), .create(in: 0, .badge(6), .whole),
        .create(in: 0, .label(7), .whole), .settle(pick: 0),
    ]

    private static let edits = [
        KeptProgram(
            "What is edited and saved while a creation is on its way survives and is sent",
            [
                .make(in: 0, .owner(1)), .edit(in: 0, .owner(1), .a, 1), .create(in: 0, .owner(1), .whole),
                .edit(in: 0, .owner(1), .a, 2), .save(in: 0), .settle(pick: 0),
            ]),
        KeptProgram(
            "The same when the reply is stored before the save",
            [
                .make(in: 0, .owner(1)), .edit(in: 0, .owner(1), .a, 1), .create(in: 0, .owner(1), .whole),
                .edit(in: 0, .owner(1), .a, 2), .save(in: 0), .reply(0), .run(3, pick: 1), .settle(pick: 1),
            ]),
        KeptProgram(
            "A value that is set back and saved while the other one is on its way is sent",
            world + [
                .edit(in: 0, .item(3), .a, 1), .send(in: 0, .item(3), .whole), .settle(pick: 0),
                .edit(in: 0, .item(3), .a, 2), .send(in: 0, .item(3), .whole), .edit(in: 0, .item(3), .a, 1),
                .save(in: 0), .run(6, pick: 0), .settle(pick: 0),
            ]),
        KeptProgram(
            "An older save does not overtake a newer request",
            world + [
                .edit(in: 0, .item(3), .a, 1), .save(in: 0), .edit(in: 0, .item(3), .a, 2),
                .send(in: 0, .item(3), .bare), .reply(0), .run(6, pick: 2), .settle(pick: 2),
            ]),
        KeptProgram(
            "A value that is set back to the server's is not unsent",
            world + [
                .edit(in: 0, .item(3), .a, 1), .send(in: 0, .item(3), .whole), .settle(pick: 0),
                .edit(in: 0, .item(3), .a, 2), .save(in: 0), .settle(pick: 0),
                .edit(in: 0, .item(3), .a, 1), .save(in: 0), .settle(pick: 0),
            ]),
    ]

    private static let fetchedMeanwhile = [
        KeptProgram(
            "An edit survives that its object turns out to be one that was fetched meanwhile",
            [
                .make(in: 0, .label(2)), .create(in: 0, .label(2), .whole), .reply(3), .fetch(in: 0, .item(1), .lost),
                .run(3, pick: 821), .save(in: 0), .take(in: 0, .label), .edit(in: 0, .label(2), .a, 5),
            ])
    ]

    private static let lists = [
        KeptProgram(
            "A list whose link was sent follows when another context moves the member",
            [
                .make(in: 0, .owner(2)), .make(in: 0, .item(5)), .create(in: 0, .item(5), .whole),
                .make(in: 0, .owner(7)), .create(in: 0, .owner(7), .whole), .settle(pick: 0),
                .join(in: 0, .owner, .item(5), .owner(2), by: .target),
                .join(in: 1, .owner, .item(5), .owner(7), by: .target), .send(in: 1, .item(5), .partial),
                .reply(2), .save(in: 0), .run(6, pick: 443),
            ]),
        KeptProgram(
            "A link that another context makes and breaks stays made here, on both sides",
            [
                .make(in: 0, .item(2)), .create(in: 0, .item(2), .whole), .make(in: 0, .owner(6)),
                .create(in: 0, .owner(6), .whole), .settle(pick: 0),
                .join(in: 0, .owner, .item(2), .owner(6), by: .target),
                .join(in: 1, .owner, .item(2), .owner(6), by: .member), .save(in: 1), .run(4, pick: 558),
                .part(in: 1, .owner, .item(2), .owner(6), by: .target), .save(in: 1), .run(3, pick: 222),
            ]),
        KeptProgram(
            "A list that is never sent is told by its members, though its owner is created",
            [
                .make(in: 0, .item(1)), .create(in: 0, .item(1), .whole), .make(in: 1, .label(9)), .save(in: 0),
                .run(5, pick: 221), .join(in: 1, .labels, .item(1), .label(9), by: .target),
                .create(in: 1, .label(9), .bare),
            ]),
        KeptProgram(
            "A link that is set back after a send without an answer is sent",
            [
                .make(in: 0, .item(1)), .create(in: 0, .item(1), .whole), .make(in: 0, .item(2)),
                .create(in: 0, .item(2), .whole), .settle(pick: 988),
                .join(in: 0, .parent, .item(1), .item(2), by: .target), .send(in: 0, .item(1), .lost),
                .part(in: 0, .parent, .item(1), .item(2), by: .target),
            ]),
        KeptProgram(
            "A list that the server takes leaves alone what another context has linked meanwhile",
            [
                .make(in: 0, .owner(3)), .create(in: 0, .owner(3), .whole), .make(in: 0, .item(7)),
                .create(in: 0, .item(7), .whole), .make(in: 0, .item(8)), .create(in: 0, .item(8), .whole),
                .settle(pick: 0), .join(in: 2, .owner, .item(7), .owner(3), by: .member),
                .join(in: 1, .owner, .item(8), .owner(3), by: .target), .save(in: 2),
                .send(in: 1, .owner(3), .bare),
            ]),
        KeptProgram(
            "A list that is edited and saved while it is on its way is sent again",
            world + [
                .join(in: 0, .owner, .item(3), .owner(1), by: .target), .send(in: 0, .owner(1), .whole),
                .join(in: 0, .owner, .item(4), .owner(1), by: .target), .save(in: 0), .settle(pick: 0),
            ]),
        KeptProgram(
            "Two contexts give an owner a badge each, from one side",
            world + [
                .join(in: 0, .badge, .badge(5), .owner(1), by: .member),
                .join(in: 1, .badge, .badge(6), .owner(1), by: .target),
                .save(in: 0), .save(in: 1), .settle(pick: 0), .look(in: 0), .look(in: 1),
            ]),
        KeptProgram(
            "What is removed from a list here and moved elsewhere stays there",
            world + [
                .join(in: 0, .owner, .item(3), .owner(1), by: .member), .save(in: 0), .settle(pick: 0),
                .send(in: 0, .item(3), .whole), .settle(pick: 0),
                .part(in: 0, .owner, .item(3), .owner(1), by: .target),
                .join(in: 1, .owner, .item(3), .owner(2), by: .member), .save(in: 1), .settle(pick: 0),
                .save(in: 0), .settle(pick: 0),
            ]),
        KeptProgram(
            "What others remove from a list does not come back with an edit of it",
            world + [
                .join(in: 0, .owner, .item(3), .owner(1), by: .target), .save(in: 0), .settle(pick: 0),
                .send(in: 0, .owner(1), .whole), .settle(pick: 0),
                .join(in: 0, .owner, .item(4), .owner(1), by: .target),
                .part(in: 1, .owner, .item(3), .owner(1), by: .member), .save(in: 1), .settle(pick: 0),
                .send(in: 1, .item(3), .whole), .settle(pick: 0), .look(in: 0),
                .send(in: 0, .owner(1), .whole), .settle(pick: 0),
            ]),
        KeptProgram(
            "The sides agree in a context with an edited list after another's commit",
            world + [
                .join(in: 0, .owner, .item(3), .owner(1), by: .target),
                .join(in: 1, .owner, .item(4), .owner(1), by: .member), .save(in: 1), .settle(pick: 0), .look(in: 0),
                .join(in: 1, .owner, .item(3), .owner(2), by: .member), .save(in: 1), .settle(pick: 0), .look(in: 0),
            ]),
        KeptProgram(
            "A link that its owner's list has told the server is not unsent",
            world + [
                .join(in: 0, .owner, .item(3), .owner(1), by: .target), .send(in: 0, .owner(1), .whole),
                .settle(pick: 0),
            ]),
        KeptProgram(
            "The reply to an owner's creation leaves its unsent members",
            [
                .serverLists(true), .make(in: 0, .owner(1)), .make(in: 0, .badge(2)),
                .join(in: 0, .badge, .badge(2), .owner(1), by: .member), .save(in: 0), .settle(pick: 0),
                .create(in: 0, .owner(1), .whole), .settle(pick: 0),
            ]),
        KeptProgram(
            "A label that gets an item is told to the server by the item",
            [
                .make(in: 0, .item(1)), .make(in: 0, .label(2)),
                .join(in: 0, .labels, .item(1), .label(2), by: .target),
            ]),
        KeptProgram(
            "An item that gets a part is told to the server by the part",
            [
                .make(in: 0, .item(1)), .make(in: 0, .item(2)),
                .join(in: 0, .parent, .item(1), .item(2), by: .target),
            ]),
        KeptProgram(
            "The sides of many to many agree while another's commit is on its way to an edited list",
            [
                .make(in: 1, .label(1)), .make(in: 1, .item(2)), .make(in: 0, .label(4)), .save(in: 1),
                .settle(pick: 688),
                .join(in: 0, .labels, .item(2), .label(4), by: .member),
                .join(in: 1, .labels, .item(2), .label(1), by: .member), .save(in: 1), .run(6, pick: 500),
            ]),
        KeptProgram(
            "A badge's owner that comes with a reply has the badge",
            [
                .make(in: 0, .badge(4)), .create(in: 0, .badge(4), .whole), .make(in: 0, .owner(5)),
                .join(in: 0, .badge, .badge(4), .owner(5), by: .member), .save(in: 0), .settle(pick: 0),
            ]),
        KeptProgram(
            "An owner that gets a badge has nothing unsent once the badge is sent",
            [
                .make(in: 0, .owner(1)), .make(in: 0, .badge(2)), .save(in: 0), .settle(pick: 0),
                .create(in: 0, .owner(1), .whole), .settle(pick: 0),
                .join(in: 1, .badge, .badge(2), .owner(1), by: .target),
            ]),
    ]

    private static let deletions = [
        KeptProgram(
            "An object whose owner another context has deleted can be created",
            world + [
                .make(in: 0, .owner(8)), .save(in: 0), .settle(pick: 0), .make(in: 0, .item(9)),
                .join(in: 0, .owner, .item(9), .owner(8), by: .member),
                .discard(in: 1, .owner(8)), .save(in: 1), .settle(pick: 0),
                .create(in: 0, .item(9), .whole), .settle(pick: 0), .create(in: 0, .item(9), .whole), .settle(pick: 0),
            ]),
        KeptProgram(
            "The same when the owner is at the server",
            world + [
                .make(in: 0, .item(9)), .join(in: 0, .owner, .item(9), .owner(2), by: .member),
                .discard(in: 1, .owner(2)), .save(in: 1), .run(20, pick: 0),
                .create(in: 0, .item(9), .whole), .settle(pick: 0), .create(in: 0, .item(9), .whole), .settle(pick: 0),
            ]),
        KeptProgram(
            "Two owners that become one keep their badges",
            world + [
                .join(in: 0, .badge, .badge(5), .owner(2), by: .member), .save(in: 0), .settle(pick: 0),
                .make(in: 0, .owner(8)), .make(in: 0, .badge(9)),
                .join(in: 0, .badge, .badge(9), .owner(8), by: .member), .save(in: 0), .settle(pick: 0),
                .create(in: 0, .owner(8), .existing), .settle(pick: 0),
            ]),
        KeptProgram(
            "A new object that went along with a request and was deleted meanwhile stays deleted",
            [
                .make(in: 0, .owner(1)), .make(in: 0, .badge(2)),
                .join(in: 0, .badge, .badge(2), .owner(1), by: .target), .create(in: 0, .owner(1), .whole),
                .discard(in: 0, .badge(2)), .settle(pick: 0),
            ]),
        KeptProgram(
            "A new member of a new object that is created and answers with little stays its member",
            [
                .make(in: 1, .item(1)), .make(in: 1, .item(2)),
                .join(in: 1, .parent, .item(2), .item(1), by: .target), .create(in: 1, .item(1), .partial),
            ]),
        KeptProgram(
            "A new object that is deleted while its save waits stays deleted",
            [.make(in: 0, .owner(1)), .save(in: 0), .discard(in: 0, .owner(1)), .settle(pick: 0)]),
        KeptProgram(
            "A new object that is deleted while its creation is on its way stays deleted",
            [.make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .discard(in: 0, .owner(1)), .settle(pick: 0)]),
        KeptProgram(
            "A new object that is rolled back while its creation is on its way is what the server made of it",
            [
                .make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .rollback(in: 0), .settle(pick: 0),
                .look(in: 0), .look(in: 1),
            ]),
        KeptProgram(
            "What is edited of a new object that was rolled back goes with it where its creation fails",
            [
                .make(in: 0, .label(3)), .create(in: 0, .label(3), .unreached), .rollback(in: 0),
                .edit(in: 0, .label(3), .a, 7), .settle(pick: 0),
            ]),
    ]

    private static let moves = [
        KeptProgram(
            "A member with an unsent move is removed at the server from where it was moved to",
            [
                .make(in: 0, .owner(2)), .create(in: 0, .owner(2), .whole), .make(in: 0, .owner(3)),
                .create(in: 0, .owner(3), .whole), .make(in: 0, .item(6)), .settle(pick: 0),
                .sendMembership(in: 0, .owner, .item(6), .owner(2), linked: true, .partial),
                .join(in: 0, .owner, .item(6), .owner(3), by: .member), .save(in: 0), .settle(pick: 147),
                .sendMembership(in: 1, .owner, .item(6), .owner(3), linked: false, .whole),
            ])
    ]

    private static let replies = [
        KeptProgram(
            "A list that was asked for before a save was confirmed does not bring the old value back",
            world + [
                .edit(in: 0, .item(3), .a, 1), .send(in: 0, .item(3), .whole), .settle(pick: 0),
                .fetchAll(in: 1, .item, .whole), .edit(in: 0, .item(3), .a, 2), .send(in: 0, .item(3), .whole),
                .reply(1), .run(20, pick: 0), .reply(0), .settle(pick: 0),
            ]),
        KeptProgram(
            "A list that was asked for before an object was deleted does not bring it back",
            world + [
                .fetchAll(in: 1, .item, .whole), .destroy(in: 0, .item(3), .whole),
                .reply(1), .run(20, pick: 0), .reply(0), .settle(pick: 0),
            ]),
    ]
}
