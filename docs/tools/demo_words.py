"""The words from which the imaginary Lantern Street Library is made: genres, topics, places, moods and names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """What a book is about."""

    phrase: str
    """How a reader asks for it."""
    nouns: tuple[str, ...]
    """How titles name it; most titles do not use the reader's words, which is what defeats a keyword search."""


@dataclass(frozen=True, slots=True)
class Genre:
    """A shelf of the library: five topics."""

    name: str
    is_fiction: bool
    topics: tuple[Topic, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a book takes place."""

    phrase: str
    """How a reader asks for it."""
    tails: tuple[str, ...]
    """How titles end when a book is set there."""


def _topics(lines: str) -> tuple[Topic, ...]:
    """Read ``phrase: noun, noun, ...`` lines."""
    pairs = (line.strip().split(": ") for line in lines.strip().splitlines())
    return tuple(Topic(phrase, tuple(nouns.split(", "))) for phrase, nouns in pairs)


GENRES = (
    Genre("ghost stories", is_fiction=True, topics=_topics("""
        haunted houses: Haunted House, Attic, Nursery, Staircase
        ghost ships: Ghost Ship, Phantom Crew, Drowned Captain, Bell Buoy
        restless spirits: Spirit, Revenant, Apparition, Veil
        cursed objects: Cursed Mirror, Music Box, Locket, Portrait
        gothic romance: Gothic Bride, Heiress, Governess, Tower
    """)),
    Genre("detective stories", is_fiction=True, topics=_topics("""
        poisonings: Poisoning, Bitter Cake, Teacup, Arsenic Jar
        missing heirlooms: Missing Heirloom, Stolen Pearl, Empty Safe, Pawnbroker
        amateur detectives: Amateur Detective, Sleuth, Curious Widow, Inquiry
        locked rooms: Locked Room, Sealed Door, Alibi, Bolt
        courtroom dramas: Courtroom, Witness, Jury, Verdict
    """)),
    Genre("space adventures", is_fiction=True, topics=_topics("""
        generation ships: Generation Ship, Starfarer, Sleeper, Orbit
        robots who dream: Robot, Automaton, Machine, Clockwork Child
        first contact: First Contact, Signal, Visitor, Envoy
        time travel: Time Traveller, Hourglass, Paradox, Second Yesterday
        lonely moons: Moon, Crater, Satellite, Airlock
    """)),
    Genre("fantasy", is_fiction=True, topics=_topics("""
        dragons: Dragon, Wyrm, Ember Egg, Hoard
        apprentice wizards: Apprentice Wizard, Spell, Grimoire, Wand
        talking animals: Talking Fox, Hare, Badger, Owl Parliament
        hidden kingdoms: Hidden Kingdom, Crown, Throne, Regent
        fairy bargains: Fairy Bargain, Changeling, Thorn Gate, Wish
    """)),
    Genre("romance", is_fiction=True, topics=_topics("""
        second chances: Second Chance, Return, Reunion, Old Flame
        letters between strangers: Letter, Stranger, Postcard, Envelope
        weddings: Wedding, Bridesmaid, Ring, Honeymoon
        rival bakers: Rival Baker, Bakery, Pastry Cook, Recipe
        childhood sweethearts: Sweetheart, Promise, Kite, Summer
    """)),
    Genre("cookery", is_fiction=False, topics=_topics("""
        baking bread: Bread, Sourdough, Ovens, Loaves
        soups and stews: Soups, Stews, Broth, Kettles
        preserving fruit: Preserves, Jam, Pickles, Orchard Fruit
        cooking fish: Fish, Oysters, Smokehouses, Chowder
        festive cakes: Cakes, Puddings, Gingerbread, Feasts
    """)),
    Genre("natural history", is_fiction=False, topics=_topics("""
        seabirds: Seabirds, Gulls, Terns, Nests
        wild mushrooms: Mushrooms, Toadstools, Truffles, Spores
        moths and butterflies: Moths, Butterflies, Caterpillars, Wings
        whales: Whales, Porpoises, Flukes, Deep Songs
        beekeeping: Beekeeping, Hives, Honey, Swarms
    """)),
    Genre("history", is_fiction=False, topics=_topics("""
        history of lighthouses: Lighthouses, Beacons, Keepers, Lamps
        history of canals: Canals, Locks, Barges, Towpaths
        history of printing: Printing, Presses, Typefaces, Broadsheets
        history of trade: Trade, Merchants, Spices, Ledgers
        history of clocks: Clocks, Bells, Calendars, Watchmakers
    """)),
    Genre("travel", is_fiction=False, topics=_topics("""
        walking holidays: Walking, Footpaths, Rambles, Boots
        sailing journeys: Sailing, Voyages, Sloops, Anchors
        cycling tours: Cycling, Bicycles, Gears, Spokes
        maps and mapmakers: Maps, Atlases, Compasses, Charts
        small hotels: Hotels, Inns, Boarding Houses, Landladies
    """)),
    Genre("poetry", is_fiction=False, topics=_topics("""
        sonnets: Sonnets, Couplets, Rhymes, Fourteen Lines
        ballads: Ballads, Songs, Refrains, Fiddles
        haiku: Haiku, Petals, Ponds, Crickets
        elegies: Elegies, Laments, Ashes, Farewells
        nonsense verse: Nonsense Verse, Limericks, Teapots, Bumbershoots
    """)),
    Genre("science", is_fiction=False, topics=_topics("""
        stars and planets: Stars, Planets, Telescopes, Eclipses
        weather: Weather, Clouds, Storms, Barometers
        rocks and fossils: Rocks, Fossils, Strata, Pebbles
        mathematics: Mathematics, Numbers, Proofs, Spirals
        human memory: Memory, Dreams, Minds, Habits
    """)),
    Genre("crafts", is_fiction=False, topics=_topics("""
        knitting: Knitting, Wool, Mittens, Looms
        pottery: Pottery, Kilns, Glazes, Clay
        woodwork: Woodwork, Chisels, Joinery, Rocking Chairs
        bookbinding: Bookbinding, Endpapers, Bindings, Spines
        gardening: Gardening, Seeds, Roses, Allotments
    """)),
)  # fmt: skip

SETTINGS = (
    Setting("by the sea", ("by the Sea", "of Gull Harbour", "of Saltmarsh Shore", "of the Long Tide")),
    Setting("in the mountains", ("in the Mountains", "of Heron Pass", "above the Snowline", "of Greystone Ridge")),
    Setting("in the city", ("in the City", "of Copper Street", "on Lantern Street", "of the Ninth Ward")),
    Setting("on the river", ("on the River", "of Willow Ferry", "at Otter Weir", "of the Slow Water")),
    Setting("on the railway", ("on the Railway", "of Platform Seven", "on the Night Train", "at Juniper Junction")),
    Setting("on an island", ("on the Island", "of Cormorant Isle", "of the Outer Skerries", "at Puffin Point")),
    Setting("in the forest", ("in the Forest", "of Birchwood", "of the Deep Pines", "under Old Oaks")),
    Setting("in winter", ("in Winter", "of the First Snow", "at Frostholm", "of the Long January")),
    Setting("in a village", ("in the Village", "of Little Marrow", "of Thistle Green", "at Upper Dunnock")),
    Setting("in the desert", ("in the Desert", "of the Red Dunes", "at Saffron Wells", "of the Dry Road")),
)

MOODS = {
    "gentle": ("Gentle", "Quiet", "Patient", "Mild", "Soft"),
    "dark": ("Dark", "Hollow", "Bitter", "Shadowed", "Grim"),
    "cheerful": ("Cheerful", "Merry", "Crooked", "Foolish", "Unlikely"),
    "thoughtful": ("Thoughtful", "Silent", "Careful", "Plain", "Slow"),
    "daring": ("Daring", "Bold", "Wild", "Reckless", "Restless"),
    "forgotten": ("Forgotten", "Lost", "Faded", "Ancient", "Weathered"),
}

SUBTITLES = ("Companion", "Handbook", "History", "Reader", "Guide")

FIRST_NAMES = tuple(
    "Ada Bram Celia Dorothea Edmund Flora Gideon Hester Ivo Josephine Kit Leopold Maud Nathaniel Odette Percival "
    "Rosalind Silas Tabitha Winifred".split()
)
LAST_NAMES = tuple(
    "Abernathy Birdwhistle Carraway Dunmore Eglantine Fennimore Goldfinch Hathersage Inkpen Jessop Kettlewell Larkspur "
    "Merriweather Nightingale Oakshott Penhallow Quill Ravenscroft Sandpiper Thistlewood Underhay Vellacott Wagstaff "
    "Yarrow".split()
)

PARAPHRASES = (
    ("something spooky to scare grandmother", "haunted houses"),
    ("whodunnits solved without police", "amateur detectives"),
    ("apiaries for absolute beginners", "beekeeping"),
)
"""Requests whose words stand in no title, with the topic that they mean: a keyword search finds nothing at all."""

NOT_HELD = (
    ("tax law for river merchants", "history"),
    ("robot repair manual", "space adventures"),
    ("winter tyre catalogue", "travel"),
    ("fish farming regulations", "cookery"),
)
"""Requests for what the library does not hold, with the shelf that looks nearest: nothing is relevant."""
