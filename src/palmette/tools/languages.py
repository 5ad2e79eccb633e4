"""What tokenization must know of a language: abbreviations, clitics, hyphens, and words that begin sentences."""

from __future__ import annotations

from dataclasses import dataclass, field


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _irregular(words: str) -> dict[str, tuple[int, ...]]:
    """`can|not gon|na` as the lengths of the pieces by word."""
    return {w.replace("|", ""): tuple(map(len, w.split("|"))) for w in words.split()}


@dataclass(frozen=True)
class Language:
    """The rules' data. Abbreviations stand in small letters without their last full stop.

    `titles` are those that never end a sentence; `before_numbers` are abbreviations only before a number.
    `endings` and `beginnings` are expressions for clitics; `irregular` has the lengths of the pieces of a word.
    """

    titles: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    before_numbers: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    beginnings: str = ""
    irregular: dict[str, tuple[int, ...]] = field(default_factory=dict)
    hyphens_split: bool = False
    joined_prefixes: frozenset[str] = frozenset()
    joined_suffixes: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    small_starts: bool = False  # a full stop after no abbreviation ends a sentence even before a small letter
    ordinals: bool = False  # "3." is the third: a number and a full stop need not end a sentence

    @property
    def abbreviations(self) -> frozenset[str]:
        """All that take their full stop always."""
        return self.titles | self.others


ENGLISH = Language(
    titles=_set(
        "mr mrs ms messrs dr prof rev fr sr st ste ft mt gen lt col sgt cpl capt cmdr adm maj pvt gov sen sens rep reps"
        " hon pres supt insp vs viz e.g i.e eg ie cf al ca approx"
    ),
    others=_set(
        "jr inc ltd co corp bros dept univ assn est etc jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues"
        " wed thu thur thurs fri sat sun ave blvd rd hwy ext attn ph.d ph d.c u.s a.m p.m p.s arrv lv"
        " lb lbs oz yr yrs hr hrs mins min sec vol ed eds esp conf ref para va pa calif mass conn ariz fla ga"
        " ass't dist tel mob fax que cal"
    )
    - _set("sun sat mar ed min sec sep ref mass fax pa ga cal"),
    before_numbers=_set("no nos p pp fig figs art sec ch vol eq mar par sat sun ref ver v"),
    endings=(
        r"(?i)n['’ʼ`´]t$",
        r"(?i)['’ʼ`´](?:s|re|ve|ll|d|m|em)$",
    ),
    irregular=_irregular(
        "can|not gon|na wan|na got|ta out|ta lem|me gim|me dun|no 't|is 't|was do|nt wo|nt ca|nt did|nt does|nt could|nt"
        " would|nt should|nt is|nt was|nt were|nt are|nt have|nt has|nt had|nt ai|nt ar|nt i|m i|ve that|s there|s he|s"
        " a|lot she|s what|s let|s you|re they|re else|s"
    ),
    hyphens_split=True,
    joined_prefixes=_set(
        "anti non pre post pro ex co re mid multi semi neo e counter sub inter intra ultra micro macro mega"
        " bi tri un de over under cross socio psycho couter arch vice-pre pan quasi pseudo trans extra hyper super"
        " infra proto eco bio geo tele electro mini meta mal mis dis"
    ),
    joined_suffixes=_set("wise esque ish like fold"),
    small_starts=True,
    starters=_set(
        "the a an this that these those it he she they we i you there here in on at for from with by as if when while"
        " after before but and or so however although because since what who where why how my his her their our your"
        " its no not all some many most one two please thanks also then now do does did is are was were can could"
        " will would should let to of"
    ),
)

GERMAN = Language(
    titles=_set("hr fr frl dr prof st hl ing dipl med phil jur rer nat hrsg bzw ca vgl evtl ggf inkl zzgl z.b d.h u.a"),
    others=_set(
        "usw etc u.s.w jan feb mär apr jun jul aug sep sept okt nov dez mo di mi do fr sa so str nr bd abs art aufl"
        " geb gest jh mio mrd tel z.t z.zt s.o s.u v.a o.ä u.ä i.d.r n.chr v.chr"
    )
    - _set("mo di mi do fr sa so"),
    before_numbers=_set("s nr abs art kap abb"),
    ordinals=True,
)

FRENCH = Language(
    titles=_set("m mm mme mmes mlle mlles dr pr st ste mgr me cf av bd env p.ex c.-à-d"),
    others=_set("etc janv févr avr juil sept oct nov déc tél art chap fig vol éd apr j.-c"),
    before_numbers=_set("n p pp art chap fig vol"),
    beginnings=r"(?i)(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)['’ʼ]",
    endings=(r"(?i)(?<=\w)-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|moi|toi|lui|leur|les?|la|en|y|ce)$",),
    irregular={"aujourd'hui": (11,), "aujourd’hui": (11,)},
)

SPANISH = Language(
    titles=_set("sr sra srta sres sras d dña dr dra prof profa st sto sta gral cnel lic ing excmo ilmo p.ej cf"),
    others=_set("etc ud uds vd vds ene feb abr jun jul ago sept oct nov dic av avda tel núm pág págs cía ee.uu s.a"),
    before_numbers=_set("n nº núm pág págs art cap fig vol"),
)

DUTCH = Language(
    titles=_set("dhr mevr mw mr dr drs ir ing prof ds st jhr bijv bv nl m.n t.w d.w.z d.m.v o.a i.v.m t.a.v ca vgl"),
    others=_set("enz etc jan feb mrt apr jun jul aug sept okt nov dec nr blz tel afd e.d e.a a.u.b m.b.v n.a.v"),
    before_numbers=_set("nr art blz p pag"),
)

ITALIAN = Language(
    titles=_set("sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv arch geom on sen mons p.es cfr s"),
    others=_set("ecc etc gen feb apr giu lug ago sett ott nov dic tel pag pagg art cap n fig vol s.p.a s.r.l a.c d.c"),
    before_numbers=_set("n nn p pp pag art cap fig vol"),
    beginnings=(
        r"(?i)(?:[cdlmnstv]|un|gl|all|dall|dell|nell|sull|coll|quell|quest|bell|sant|tutt|mezz|grand|pover|com|dov|quand"
        r"|senz|anch|neanch|nessun|alcun|ciascun|qualcun|cos|de)['’ʼ](?=\w)"
    ),
)

TURKISH = Language(
    titles=_set("dr prof doç yrd av sn hz bkz yy vb vs öğr gör alb gen müh"),
    others=_set("örn mah cad sok apt tel no t.c m.ö m.s a.ş ltd şti"),
    before_numbers=_set("no s sf cilt md"),
    ordinals=True,
)

GENERIC = Language(
    titles=_set("mr mrs ms dr prof st cf vs e.g i.e"),
    others=_set("etc jr sr inc ltd co tel"),
    before_numbers=_set("no nr p pp fig vol art"),
)

LANGUAGES = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "nl": DUTCH,
    "it": ITALIAN,
    "tr": TURKISH,
    "generic": GENERIC,
}
