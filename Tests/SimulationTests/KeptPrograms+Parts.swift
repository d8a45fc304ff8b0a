// Programs about embedded objects, and about members that are sent to the server one by one.

extension KeptProgram {
    static let parts = [
        KeptProgram(
            "A member that is created in a list with saved edits stays after a restart",
            [
                .make(in: 0, .label(2)), .make(in: 0, .item(3)), .create(in: 0, .item(3), .whole),
                .make(in: 0, .label(6)), .create(in: 0, .label(6), .whole), .settle(pick: 0),
                .join(in: 1, .labels, .item(3), .label(6), by: .target), .save(in: 1),
                .sendMembership(in: 0, .labels, .item(3), .label(2), linked: true, .whole), .restart,
            ]),
        KeptProgram(
            "A member that is deleted while it joins a list is gone",
            [
                .make(in: 0, .item(3)), .create(in: 0, .item(3), .whole), .make(in: 0, .owner(5)),
                .create(in: 0, .owner(5), .whole), .make(in: 0, .owner(7)), .settle(pick: 0),
                .join(in: 0, .owner, .item(3), .owner(7), by: .member),
                .sendMembership(in: 0, .owner, .item(3), .owner(5), linked: true, .whole), .discard(in: 0, .item(3)),
                .save(in: 0),
            ]),
        KeptProgram(
            "What is edited within a new object's part while it is created, and saved, waits",
            [
                .make(in: 1, .owner(3)), .create(in: 1, .owner(3), .bare), .edit(in: 1, .owner(3), .b, 6), .save(in: 1),
            ]),
        KeptProgram(
            "What others edit within a part that is created waits",
            [
                .make(in: 2, .item(3)), .edit(in: 2, .item(3), .b, 4), .save(in: 2), .edit(in: 2, .item(3), .b, 11),
                .create(in: 1, .item(3), .whole), .edit(in: 1, .item(3), .b, 22),
            ]),
        KeptProgram(
            "A member that left a list stays out when the owner is deleted meanwhile",
            [
                .make(in: 0, .item(3)), .create(in: 0, .item(3), .whole), .make(in: 0, .item(5)),
                .create(in: 0, .item(5), .whole), .settle(pick: 0),
                .join(in: 1, .parent, .item(3), .item(5), by: .target),
                .save(in: 1), .send(in: 0, .item(3), .partial), .destroy(in: 0, .item(5), .partial),
                .join(in: 2, .parent, .item(8), .item(3), by: .member),
                .part(in: 1, .parent, .item(3), .item(5), by: .target),
            ]),
    ]
}
