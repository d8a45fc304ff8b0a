// Programs about links whose two sides are edited, sent and imported by different contexts at once.

extension KeptProgram {
    static let links = [
        KeptProgram(
            "A list of which nothing was known has the order of the server, whoever was in it first",
            [
                .serverMake(.item(5)), .serverMake(.item(6)), .serverMake(.item(7)), .serverMake(.owner(8)),
                .fetchAll(in: 1, .item, .whole), .fetchAll(in: 0, .owner, .whole), .settle(pick: 0),
                .join(in: 1, .owner, .item(6), .owner(8), by: .member), .serverLists(true),
                .join(in: 2, .owner, .item(7), .owner(8), by: .target),
                .join(in: 1, .owner, .item(5), .owner(8), by: .member),
            ]),
        KeptProgram(
            "A member that the server was told to be in another list leaves the list of a new object",
            [
                .make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .make(in: 0, .item(4)),
                .create(in: 0, .item(4), .whole), .make(in: 0, .owner(9)),
                .join(in: 0, .owner, .item(4), .owner(9), by: .target), .settle(pick: 557),
                .sendMembership(in: 0, .owner, .item(4), .owner(1), linked: true, .whole), .settle(pick: 361),
            ]),
        KeptProgram(
            "The server is told of a label that was taken from the item, and not saved, since",
            [
                .make(in: 0, .item(3)), .create(in: 0, .item(3), .whole), .make(in: 0, .label(7)),
                .create(in: 0, .label(7), .whole), .settle(pick: 0),
                .sendMembership(in: 2, .labels, .item(3), .label(7), linked: true, .partial), .restart,
                .part(in: 1, .labels, .item(3), .label(7), by: .member),
                .sendMembership(in: 1, .labels, .item(3), .label(7), linked: true, .partial),
            ]),
        KeptProgram(
            "A label is added to a list of which nothing is known, saved and removed, and the server had it",
            isOpen: true,
            [
                .serverLabels(false), .serverMake(.label(3)), .make(in: 0, .label(5)),
                .create(in: 0, .label(5), .whole), .serverMake(.item(8)), .serverLink(.labels, .item(8), .label(5)),
                .fetchAll(in: 0, .label, .whole), .fetchAll(in: 1, .item, .whole), .settle(pick: 0),
                .join(in: 0, .labels, .item(8), .label(5), by: .member), .save(in: 0),
                .join(in: 1, .labels, .item(8), .label(3), by: .target), .run(6, pick: 189),
                .part(in: 0, .labels, .item(8), .label(5), by: .member),
            ]),
        KeptProgram(
            "A saved badge that a new owner is given stays unsent when the owner is created",
            [
                .make(in: 1, .owner(1)), .make(in: 0, .badge(4)), .save(in: 0), .settle(pick: 316),
                .join(in: 1, .badge, .badge(4), .owner(1), by: .target), .create(in: 1, .owner(1), .whole),
            ]),
        KeptProgram(
            "The same when the owner is imported before the reply",
            [
                .make(in: 1, .badge(1)), .make(in: 1, .owner(3)),
                .join(in: 1, .badge, .badge(1), .owner(3), by: .target), .create(in: 1, .owner(3), .bare),
                .take(in: 1, .owner),
            ]),
        KeptProgram(
            "A reply that gives an owner's unsent badge to another does not take it away",
            [
                .make(in: 0, .badge(1)), .create(in: 0, .badge(1), .whole), .make(in: 0, .badge(2)),
                .make(in: 0, .owner(5)), .create(in: 0, .owner(5), .whole), .settle(pick: 0),
                .serverLink(.badge, .badge(1), .owner(5)), .edit(in: 2, .badge(1), .b, 5),
                .join(in: 0, .badge, .badge(2), .owner(5), by: .target),
            ]),
        KeptProgram(
            "A badge that waits for an owner whom the server has deleted is free",
            [
                .make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .serverMake(.badge(8)), .restart,
                .serverLists(true), .serverLink(.badge, .badge(8), .owner(1)), .fetchAll(in: 1, .owner, .bare),
                .serverDelete(.owner(1)),
            ]),
        KeptProgram(
            "A list that gives an owner's unsent badge to another does not take it away",
            [
                .make(in: 0, .badge(2)), .create(in: 0, .badge(2), .whole), .make(in: 0, .owner(4)),
                .create(in: 0, .owner(4), .whole), .make(in: 0, .badge(6)), .create(in: 0, .badge(6), .whole),
                .settle(pick: 0), .join(in: 1, .badge, .badge(2), .owner(4), by: .target),
                .serverLink(.badge, .badge(6), .owner(4)), .save(in: 1), .fetchAll(in: 1, .badge, .whole),
            ]),
        KeptProgram(
            "An owner's side follows when a newer link of its badge is stored than the one that was sent",
            [
                .make(in: 0, .owner(2)), .create(in: 0, .owner(2), .whole), .make(in: 0, .badge(3)),
                .create(in: 0, .badge(3), .whole), .make(in: 0, .owner(7)), .create(in: 0, .owner(7), .whole),
                .make(in: 0, .item(8)), .create(in: 0, .item(8), .whole), .settle(pick: 0),
                .join(in: 0, .badge, .badge(3), .owner(2), by: .member), .fetchAll(in: 2, .item, .partial),
                .join(in: 2, .badge, .badge(3), .owner(7), by: .target), .save(in: 2), .run(2, pick: 342),
                .send(in: 0, .badge(3), .partial), .run(3, pick: 859), .reply(3),
                .fetchList(in: 0, .parent, .item(8), .whole),
            ]),
        KeptProgram(
            "An owner and a badge that are imported before their replies stay linked",
            [
                .make(in: 0, .item(1)), .create(in: 0, .item(1), .whole), .make(in: 0, .item(2)),
                .create(in: 0, .item(2), .whole), .make(in: 0, .badge(3)), .create(in: 0, .badge(3), .whole),
                .make(in: 0, .badge(4)), .create(in: 0, .badge(4), .whole), .make(in: 0, .item(5)),
                .create(in: 0, .item(5), .whole), .make(in: 0, .item(6)), .create(in: 0, .item(6), .whole),
                .make(in: 0, .owner(7)), .create(in: 0, .owner(7), .whole),
                .join(in: 0, .badge, .badge(3), .owner(7), by: .member),
                .serverLink(.badge, .badge(3), .owner(7)), .reply(3), .reply(0), .save(in: 0), .take(in: 1, .badge),
                .reply(0), .take(in: 1, .owner), .reply(3),
            ]),
        KeptProgram(
            "A list that its member left for another object does not confirm where it went",
            [
                .make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .make(in: 0, .owner(3)),
                .make(in: 0, .item(8)), .create(in: 0, .item(8), .whole), .settle(pick: 0),
                .join(in: 1, .owner, .item(8), .owner(1), by: .target), .save(in: 0), .settle(pick: 830),
                .send(in: 1, .item(8), .whole), .join(in: 1, .owner, .item(8), .owner(3), by: .member),
            ]),
        KeptProgram(
            "A list follows when a newer link of its member is stored than the one that was sent",
            [
                .make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .make(in: 0, .owner(6)),
                .make(in: 0, .item(7)), .create(in: 0, .item(7), .whole),
                .join(in: 0, .owner, .item(7), .owner(6), by: .member), .settle(pick: 107),
                .join(in: 1, .owner, .item(7), .owner(1), by: .target), .send(in: 1, .item(7), .bare), .save(in: 0),
                .settle(pick: 324),
            ]),
        KeptProgram(
            "An edited list is who its members' links say",
            [
                .make(in: 0, .item(3)), .create(in: 0, .item(3), .whole), .make(in: 0, .owner(5)),
                .create(in: 0, .owner(5), .whole), .settle(pick: 215),
                .join(in: 1, .owner, .item(3), .owner(5), by: .member), .make(in: 0, .item(10)), .save(in: 0),
                .send(in: 1, .item(3), .bare), .make(in: 1, .owner(11)), .create(in: 1, .item(10), .bare),
                .fetchAll(in: 1, .label, .partial), .save(in: 1), .run(2, pick: 619),
                .join(in: 0, .owner, .item(3), .owner(11), by: .member),
                .join(in: 0, .owner, .item(10), .owner(5), by: .target),
            ]),
        KeptProgram(
            "A pair that two contexts made and one takes back is told to the server",
            [
                .make(in: 0, .label(1)), .create(in: 0, .label(1), .whole), .make(in: 0, .item(2)),
                .create(in: 0, .item(2), .whole), .settle(pick: 0),
                .join(in: 1, .labels, .item(2), .label(1), by: .member),
                .join(in: 0, .labels, .item(2), .label(1), by: .target), .save(in: 1), .save(in: 0),
                .send(in: 0, .item(2), .partial), .reply(3), .fetch(in: 0, .item(2), .partial), .settle(pick: 465),
                .part(in: 1, .labels, .item(2), .label(1), by: .member),
            ]),
        KeptProgram(
            "A save does not write again what a reply has confirmed and another context edited since",
            [
                .make(in: 0, .badge(1)), .create(in: 0, .badge(1), .whole), .settle(pick: 609),
                .edit(in: 1, .badge(1), .b, 3), .fetchList(in: 0, .parent, .item(2), .partial),
                .send(in: 1, .badge(1), .whole), .reply(2), .run(2, pick: 317), .run(5, pick: 331),
                .edit(in: 0, .badge(1), .b, 4), .save(in: 0), .save(in: 1),
            ]),
        KeptProgram(
            "A badge that is given back while another owner's is on its way is both sides'",
            [
                .make(in: 0, .owner(2)), .create(in: 0, .owner(2), .whole), .make(in: 0, .badge(4)),
                .create(in: 0, .badge(4), .whole), .make(in: 0, .owner(7)), .settle(pick: 0),
                .join(in: 0, .badge, .badge(4), .owner(7), by: .member), .save(in: 0),
                .join(in: 0, .badge, .badge(4), .owner(2), by: .member), .send(in: 0, .badge(4), .whole),
                .join(in: 0, .badge, .badge(4), .owner(7), by: .member), .settle(pick: 414),
            ]),
        KeptProgram(
            "A member that others took out of an edited list is not in the other direction either",
            [
                .make(in: 0, .label(2)), .make(in: 1, .item(3)), .make(in: 1, .item(4)), .save(in: 0),
                .join(in: 0, .labels, .item(3), .label(2), by: .target), .save(in: 1), .save(in: 0),
                .join(in: 0, .labels, .item(3), .label(2), by: .target), .create(in: 0, .item(3), .bare),
                .part(in: 1, .labels, .item(3), .label(2), by: .target),
                .join(in: 0, .labels, .item(4), .label(2), by: .target), .save(in: 1), .run(2, pick: 864),
                .join(in: 0, .labels, .item(3), .label(2), by: .target),
            ]),
        KeptProgram(
            "A list that another context adds to while it is on its way keeps what was sent",
            [
                .make(in: 0, .label(1)), .create(in: 0, .label(1), .whole), .make(in: 0, .label(3)),
                .create(in: 0, .label(3), .whole), .make(in: 0, .item(5)), .create(in: 0, .item(5), .whole),
                .make(in: 0, .item(6)), .create(in: 0, .item(6), .whole), .settle(pick: 0),
                .join(in: 0, .labels, .item(6), .label(3), by: .member), .send(in: 0, .item(5), .existing),
                .join(in: 1, .labels, .item(6), .label(1), by: .target), .save(in: 1), .send(in: 0, .item(6), .bare),
            ]),
        KeptProgram(
            "A value that is sent while it is asked for stays",
            [
                .make(in: 0, .item(6)), .create(in: 0, .item(6), .whole), .restart, .edit(in: 1, .item(6), .b, 2),
                .fetchAll(in: 1, .item, .bare), .send(in: 1, .item(6), .bare), .take(in: 0, .item),
            ]),
        KeptProgram(
            "The last of two contexts' edits stays while a body is taken",
            [
                .make(in: 1, .owner(2)), .create(in: 1, .owner(2), .whole), .edit(in: 1, .owner(2), .a, 4),
                .take(in: 0, .owner), .fetchList(in: 0, .badge, .owner(2), .refused), .save(in: 1), .run(6, pick: 929),
                .edit(in: 0, .owner(2), .a, 10), .save(in: 0),
            ]),
        KeptProgram(
            "A member that others add to a list during its save can be taken out",
            [
                .make(in: 0, .item(4)), .create(in: 0, .item(4), .whole), .make(in: 0, .label(6)),
                .create(in: 0, .label(6), .whole), .make(in: 0, .item(8)), .create(in: 0, .item(8), .whole),
                .settle(pick: 0), .join(in: 2, .labels, .item(4), .label(6), by: .target), .run(1, pick: 860),
                .join(in: 1, .labels, .item(8), .label(6), by: .target), .save(in: 1), .save(in: 2),
                .run(2, pick: 511), .create(in: 1, .badge(1), .partial),
                .part(in: 1, .labels, .item(4), .label(6), by: .target),
            ]),
        KeptProgram(
            "The newer of two edits stays when what was sent is lost and a body is taken",
            [
                .make(in: 0, .item(7)), .create(in: 0, .item(7), .whole), .settle(pick: 0),
                .edit(in: 1, .item(7), .a, 10), .send(in: 1, .item(7), .lost), .edit(in: 0, .item(7), .a, 13),
                .take(in: 1, .item),
            ]),
        KeptProgram(
            "A member that joins from its own side while others save the list is there once",
            [
                .make(in: 0, .item(1)), .create(in: 0, .item(1), .whole), .make(in: 0, .label(4)),
                .create(in: 0, .label(4), .whole), .make(in: 0, .item(5)), .create(in: 0, .item(5), .whole),
                .settle(pick: 0), .join(in: 1, .labels, .item(5), .label(4), by: .target),
                .create(in: 1, .owner(6), .refused), .save(in: 1), .run(4, pick: 527),
                .part(in: 0, .labels, .item(5), .label(4), by: .member), .save(in: 0),
                .join(in: 1, .labels, .item(1), .label(4), by: .target), .run(5, pick: 250),
                .join(in: 1, .labels, .item(5), .label(4), by: .member),
            ]),
        KeptProgram(
            "What is given away here and elsewhere keeps the link that it has here",
            [
                .make(in: 0, .badge(3)), .create(in: 0, .badge(3), .whole), .make(in: 0, .owner(6)),
                .create(in: 0, .owner(6), .whole), .make(in: 0, .badge(8)), .create(in: 0, .badge(8), .whole),
                .settle(pick: 0), .make(in: 2, .owner(10)), .join(in: 1, .badge, .badge(8), .owner(6), by: .target),
                .join(in: 2, .badge, .badge(8), .owner(10), by: .target), .save(in: 1),
                .create(in: 1, .item(9), .refused), .run(3, pick: 632),
                .join(in: 2, .badge, .badge(3), .owner(6), by: .member),
            ]),
        KeptProgram(
            "A label that is put on what others have labelled takes nothing from that",
            [
                .serverLabels(false), .serverMake(.item(1)), .make(in: 0, .label(2)), .create(in: 0, .label(2), .whole),
                .make(in: 0, .label(3)), .create(in: 0, .label(3), .whole), .settle(pick: 0),
                .serverLink(.labels, .item(1), .label(2)), .fetchAll(in: 0, .item, .whole), .settle(pick: 0),
                .join(in: 0, .labels, .item(1), .label(3), by: .member), .send(in: 0, .item(1), .whole),
            ]),
        KeptProgram(
            "A new owner that is rolled back while it is created agrees with its items",
            [
                .make(in: 0, .item(2)), .create(in: 0, .item(2), .whole), .settle(pick: 260), .make(in: 1, .owner(10)),
                .join(in: 1, .owner, .item(2), .owner(10), by: .target), .create(in: 1, .owner(10), .whole),
                .rollback(in: 1),
            ]),
        KeptProgram(
            "A new item that is rolled back while it is created can be labelled",
            [
                .make(in: 1, .label(2)), .make(in: 0, .label(3)), .make(in: 1, .item(4)), .save(in: 0),
                .create(in: 1, .item(4), .lost), .rollback(in: 1),
                .join(in: 1, .labels, .item(4), .label(3), by: .target),
            ]),
        KeptProgram(
            "A badge that went with its owner while it was created is as the server knows it",
            [
                .make(in: 0, .badge(3)), .make(in: 0, .owner(6)), .create(in: 0, .owner(6), .whole),
                .settle(pick: 351), .save(in: 0), .discard(in: 1, .owner(6)), .edit(in: 0, .badge(3), .a, 3),
                .join(in: 0, .badge, .badge(3), .owner(6), by: .member), .run(4, pick: 241), .save(in: 0),
                .create(in: 1, .badge(3), .whole), .save(in: 1), .restart, .take(in: 0, .badge),
            ]),
        KeptProgram(
            "A label is told to the item that got it first, though another one gets it by the label's own list",
            [
                .make(in: 0, .item(6)), .create(in: 0, .item(6), .whole), .make(in: 0, .item(7)), .settle(pick: 0),
                .make(in: 2, .label(9)), .save(in: 2), .create(in: 2, .owner(10), .partial),
                .join(in: 0, .labels, .item(6), .label(9), by: .member),
                .join(in: 0, .labels, .item(7), .label(9), by: .target),
            ]),
        KeptProgram(
            "A member that was made one and none again, and is none to the server, leaves no edit of the list",
            [
                .make(in: 0, .owner(1)), .create(in: 0, .owner(1), .whole), .make(in: 0, .item(4)),
                .create(in: 0, .item(4), .whole), .settle(pick: 0),
                .join(in: 2, .owner, .item(4), .owner(1), by: .member), .save(in: 2), .run(6, pick: 55),
                .part(in: 2, .owner, .item(4), .owner(1), by: .target), .serverLink(.owner, .item(4), .owner(1)),
                .fetchAll(in: 0, .item, .whole), .save(in: 2),
            ]),
        KeptProgram(
            "A label that is told away stays away when another label joins meanwhile",
            [
                .make(in: 0, .item(5)), .create(in: 0, .item(5), .whole), .serverMake(.label(7)),
                .serverMake(.label(8)), .fetchAll(in: 0, .label, .whole), .settle(pick: 0),
                .join(in: 1, .labels, .item(5), .label(7), by: .target), .save(in: 1), .run(4, pick: 298),
                .sendMembership(in: 0, .labels, .item(5), .label(7), linked: false, .whole),
                .join(in: 1, .labels, .item(5), .label(8), by: .target), .save(in: 1),
            ]),
    ]
}
