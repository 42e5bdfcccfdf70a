"""Invent the data of the demo: ``python docs/tools/make_demo.py [DIRECTORY]`` writes it, the same bytes every time.

A book has a topic, a setting, a mood and an author; a request asks for some of them, and the grade of a book says how
much of the request it meets. Three systems then answer: ``keyword`` counts the words that request and book share (so
most of its scores are tied), ``semantic`` sees the true grade through noise, ``hybrid`` adds the two. Judgments are
pooled from the first places of all three, as an assessor would meet them, with a few items forgotten.

Only ``random()``, exact sums and comparisons are used: they give the same numbers on every platform and Python version.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeVar

from demo_events import HEADER, make_events
from demo_words import (
    FIRST_NAMES,
    GENRES,
    LAST_NAMES,
    MOODS,
    NOT_HELD,
    PARAPHRASES,
    SETTINGS,
    SUBTITLES,
    Genre,
    Topic,
)

SEED = 1887
DEPTH = 50
"""How many items a system returns at most."""
BOOKS_PER_TOPIC = 10
POOL_DEPTH = 15
"""How far down each system's list the assessor looked."""
JUDGED_AT_LEAST = 15
JUDGED_AT_MOST = 40
FORGOTTEN = 0.08
"""The share of the pool that was never judged."""
STOPWORDS = frozenset("a an and at between books by for from in of on or the to who".split())

T = TypeVar("T")
Ranking = list[tuple["Book", float]]


@dataclass(frozen=True, slots=True)
class Book:
    """One item of the catalogue, with what its title only hints at."""

    id: str
    title: str
    author: str
    genre: str
    year: int
    topic: str
    setting: str
    mood: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Request:
    """One query: its text, and what the reader means by it (empty where the reader does not care)."""

    text: str
    genre: str = ""
    topic: str = ""
    setting: str = ""
    mood: str = ""
    author: str = ""
    is_held: bool = True


def pick(rng: Random, values: Sequence[T]) -> T:
    """Choose one value."""
    return values[int(rng.random() * len(values))]


def shuffled(rng: Random, values: Sequence[T]) -> list[T]:
    """Put values into a random order."""
    return sorted(values, key=lambda _: rng.random())


def noise(rng: Random) -> float:
    """Draw from a bell-shaped distribution with mean 0 and standard deviation 1 (a sum of twelve uniform draws)."""
    # fsum, because the rounding of sum() changed with Python 3.12.
    return math.fsum(rng.random() for _ in range(12)) - 6.0


def content_words(text: str) -> frozenset[str]:
    """Lower-case words without stop words and plural endings, as a simple search engine indexes them."""
    words = re.findall(r"[a-z]+", text.lower())
    return frozenset(word.removesuffix("s") for word in words if word not in STOPWORDS)


def make_books(rng: Random) -> list[Book]:
    """Invent the catalogue: ten books on each topic, set in three or four places, ids made from their titles."""
    names = shuffled(rng, [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES])
    books: dict[str, Book] = {}
    for shelf, genre in enumerate(GENRES):
        authors = names[shelf * 8 : shelf * 8 + 8]
        for topic in genre.topics:
            settings = shuffled(rng, SETTINGS)[:4]
            wanted = len(books) + BOOKS_PER_TOPIC
            while len(books) < wanted:
                setting = pick(rng, settings)
                # Two books at least say in the title what they are about, so that a keyword search finds something.
                noun = topic.nouns[0] if wanted - len(books) > BOOKS_PER_TOPIC - 2 else pick(rng, topic.nouns)
                place = (setting.phrase, pick(rng, setting.tails))
                book = make_book(rng, genre, topic, noun, pick(rng, authors), place)
                books.setdefault(book.id, book)
    return sorted(books.values(), key=lambda book: book.id)


def make_book(rng: Random, genre: Genre, topic: Topic, noun: str, author: str, place: tuple[str, str]) -> Book:
    """Invent one book; fiction wears its mood in the title, other books in the subtitle."""
    setting, tail = place
    mood = pick(rng, list(MOODS))
    adjective = pick(rng, MOODS[mood])
    if genre.is_fiction:
        title = f"The {adjective} {noun} {tail}"
        named = title
    else:
        named = f"{noun} {tail}"
        article = "An" if adjective[0] in "AU" else "A"
        title = f"{named}: {article} {adjective} {pick(rng, SUBTITLES)}"
    slug = "-".join(word for word in re.findall(r"[a-z]+", named.lower()) if word not in STOPWORDS)
    year = 1925 + int(rng.random() * 100)
    words = content_words(f"{title} {author} {genre.name}")
    return Book(slug, title, author, genre.name, year, topic.phrase, setting, mood, words)


def make_requests(rng: Random, books: Sequence[Book]) -> list[Request]:
    """Invent 240 requests: a topic in a place, a topic, a mood on a shelf, an author, and a few odd ones."""
    shelf = {topic.phrase: genre.name for genre in GENRES for topic in genre.topics}
    places = sorted({(book.topic, book.setting) for book in books})
    moods = [(mood, genre.name) for mood in MOODS for genre in GENRES]
    authors = sorted({(book.author, book.genre) for book in books})
    requests = [
        Request(f"{topic} {setting}", genre=shelf[topic], topic=topic, setting=setting)
        for topic, setting in shuffled(rng, places)[:130]
    ]
    requests += [Request(topic, genre=shelf[topic], topic=topic) for topic in shuffled(rng, list(shelf))[:55]]
    requests += [Request(f"{mood} {genre}", genre=genre, mood=mood) for mood, genre in shuffled(rng, moods)[:28]]
    requests += [
        Request(f"books by {author}", genre=genre, author=author) for author, genre in shuffled(rng, authors)[:20]
    ]
    requests += [Request(text, genre=shelf[topic], topic=topic) for text, topic in PARAPHRASES]
    requests += [Request(text, genre=genre, is_held=False) for text, genre in NOT_HELD]
    return shuffled(rng, requests)


def likeness(request: Request, book: Book) -> float:
    """How near a book comes to a request, 0 to 3; a grade is the whole part of it."""
    if request.author:
        return 3.0 if book.author == request.author else 0.5 * (book.genre == request.genre)
    if request.genre != book.genre:
        return 0.4 * (bool(request.setting) and book.setting == request.setting)
    if not request.is_held:
        return 0.8
    if request.mood:
        return 3.0 if book.mood == request.mood else 1.0
    if book.topic != request.topic:
        return 1.0 if request.setting and book.setting == request.setting else 0.6
    return 3.0 if book.setting == request.setting or (not request.setting and book.mood != "forgotten") else 2.0


def keyword_search(request: Request, books: Sequence[Book]) -> Ranking:
    """Rank by the number of shared words; a book that shares none is not returned, ties stay in catalogue order."""
    asked = content_words(request.text)
    matches = [(book, float(len(asked & book.words))) for book in books if asked & book.words]
    return sorted(matches, key=lambda pair: -pair[1])[:DEPTH]


def semantic_scores(rng: Random, request: Request, books: Sequence[Book]) -> list[float]:
    """See likeness through noise, as a number that looks like a cosine; three digits leave a few ties."""
    # Some requests are simply hard for a model: their noise is larger.
    blur = 0.7 + 0.8 * rng.random()
    return [round(0.35 + 0.1 * (likeness(request, book) + blur * noise(rng)), 3) for book in books]


def rank(books: Sequence[Book], scores: Sequence[float]) -> Ranking:
    """Put the best first and cut at the depth."""
    return sorted(zip(books, scores, strict=True), key=lambda pair: -pair[1])[:DEPTH]


def answer(rng: Random, request: Request, books: Sequence[Book]) -> dict[str, Ranking]:
    """Let the three systems answer one request."""
    keyword = keyword_search(request, books)
    counted = {book.id: score for book, score in keyword}
    most = max(counted.values(), default=1.0)
    cosine = semantic_scores(rng, request, books)
    # Shared words help where titles are plain and hurt where they mislead; mixing adds a little error of its own.
    mixed = [
        round(0.9 * score + 0.1 * counted.get(book.id, 0.0) / most + 0.04 * noise(rng), 4)
        for book, score in zip(books, cosine, strict=True)
    ]
    return {"keyword": keyword, "semantic": rank(books, cosine), "hybrid": rank(books, mixed)}


def judge(rng: Random, request: Request, answers: dict[str, Ranking], books: Sequence[Book]) -> dict[str, int]:
    """Grade a pool of what the systems returned first; one grade in ten is one step too low, as people's are."""
    pool = {book.id: book for ranking in answers.values() for book, _ in ranking[:POOL_DEPTH]}
    kept = [book for book in pool.values() if rng.random() >= FORGOTTEN][:JUDGED_AT_MOST]
    # The shelf itself fills a short pool, so that every request has some judged items.
    while len(kept) < JUDGED_AT_LEAST:
        book = pick(rng, books)
        if book not in kept:
            kept.append(book)
    grades: dict[str, int] = {}
    for book in sorted(kept, key=lambda book: book.id):
        grade = int(likeness(request, book)) if request.is_held else 0
        grades[book.id] = max(grade - (rng.random() < 0.1), 0)
    return grades


def csv_bytes(rows: Sequence[Sequence[object]]) -> bytes:
    """Write rows as CSV with Unix line ends."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def gzip_bytes(content: bytes) -> bytes:
    """Compress without a date; the header of ``gzip.compress`` changed with Python 3.13, GzipFile's did not."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(content)
    return packed.getvalue()


def make(seed: int = SEED) -> dict[str, bytes]:
    """Make every data file, uncompressed, by the name that it has before compression."""
    rng = Random(seed)
    books = make_books(rng)
    requests = make_requests(rng, books)
    runs: dict[str, list[str]] = {"keyword": [], "semantic": [], "hybrid": []}
    lists: dict[str, dict[str, list[str]]] = {system: {} for system in runs}
    judged: dict[str, dict[str, int]] = {}
    for number, request in enumerate(requests, start=1):
        query = f"q{number:03}"
        answers = answer(rng, request, books)
        for system, ranking in answers.items():
            lists[system][query] = [book.id for book, _ in ranking]
            digits = {"keyword": 0, "semantic": 3, "hybrid": 4}[system]
            runs[system] += [
                f"{query} Q0 {book.id} {place} {score:.{digits}f} {system}\n"
                for place, (book, score) in enumerate(ranking, start=1)
            ]
        judged[query] = judge(rng, request, answers, books)
    qrels = [f"{query} 0 {item} {grade}\n" for query, grades in judged.items() for item, grade in grades.items()]
    items = [(book.id, book.title, book.author, book.genre, book.year) for book in books]
    asked = [(f"q{number:03}", request.text) for number, request in enumerate(requests, start=1)]
    return {
        "judgments.qrels": "".join(qrels).encode(),
        **{f"{system}.run": "".join(lines).encode() for system, lines in runs.items()},
        "items.csv": csv_bytes([("id", "title", "author", "genre", "year"), *items]),
        "queries.csv": csv_bytes([("id", "text"), *asked]),
        "events.csv": csv_bytes([HEADER, *make_events(rng, lists, judged)]),
    }


def write(directory: Path, seed: int = SEED) -> list[Path]:
    """Make the data and write it, runs and events compressed."""
    directory.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, content in make(seed).items():
        is_packed = name.endswith(".run") or name == "events.csv"
        path = directory / (f"{name}.gz" if is_packed else name)
        path.write_bytes(gzip_bytes(content) if is_packed else content)
        written.append(path)
    return written


if __name__ == "__main__":
    target = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "src" / "rankmeter" / "demo" / "data"
    )
    for made in write(target):
        sys.stdout.write(f"{made}\n")
