/** What invented people are called and where they live. Domains and numbers are those that are reserved for examples. */

export const firstNames =
  `Ada Agnes Albert Alice Amelia Amir Andrea Anna Arthur Beatrice Ben Bridget Callum Carla Cecily Charles Chloe Clara Conor
Daniel Daphne David Dora Edith Edward Eleanor Elias Ella Emil Emma Erik Esther Ethan Eva Faith Felix Fiona Florence Frank
Freya George Georgia Grace Hanna Harriet Harry Hazel Helen Henry Hilda Hugo Ida Imran Ingrid Iris Isaac Isla Ivy Jack Jacob
Jane Jasmine Joan Johan Joseph Judith Julia Karim Kate Laura Leah Leo Lena Liam Lily Lucas Lucy Luke Lydia Mabel Marcus Maria
Martha Mary Matilda Maurice Max Maya Meera Mila Miriam Mona Nadia Nathan Nina Noah Nora Oliver Olive Oscar Owen Paul Pearl
Peter Philippa Priya Ralph Rachel Rosa Rose Ruben Ruth Samir Sarah Sean Selma Sidney Silas Simon Sofia Sonia Stella Susan
Sylvia Tara Theo Thomas Tilda Tom Ursula Vera Victor Violet Walter Wilma Winifred Yara Yusuf Zoe`.split(/\s+/);

export const lastNames =
  `Abbott Akhtar Aldridge Archer Ashby Atwell Bailey Barlow Barnes Baxter Beck Bellamy Bennett Birch Blackwood Bramley Briggs
Brook Burrow Byrne Calder Carver Chandra Clay Clifton Coombe Copley Cotter Croft Dale Dawson Dempsey Denby Devlin Drake
Dunmore Eastwood Eaton Ellery Fairfax Farrow Fenwick Field Finch Flanagan Fletcher Foxley Frost Gale Garrick Gill Glover Goddard
Granger Greenaway Griffin Hadley Hale Hammond Harding Hartley Hawthorn Heath Hedges Hewitt Holloway Hopwood Hughes Hurst
Ibsen Ingham Iqbal Jarvis Jensen Jessop Kaur Keane Kemp Kendall Kessler Khan Kirby Knight Lacey Lambert Larkin Laurie Leigh
Lindqvist Lister Lockwood Lowell Maddox Malik Marlow Marsh Mather Mehta Mercer Milburn Moor Morrow Nash Nettleton Newcombe Nolan
Norwood Oakley Odell Okafor Orchard Osman Paget Parr Patel Payne Pemberton Penrose Pickering Plum Pool Prior Quayle Quinn Radley
Ramsay Redfern Reeve Ridley Rooke Rosewarne Rowan Rushton Sadler Sandford Saxby Sedgwick Sharma Shaw Sorrel Stanton Stokes Swann
Tanner Tate Thorne Tilley Travers Tyler Underhill Vance Vaughan Verney Wade Walcott Waring Webster Wells Wharton Whitlock
Wilde Winslow Woodruff Wren Yardley Yates Young Zeller`.split(/\s+/);

/** How likely somebody has an address there. Greylisting and silence are habits of the mail servers of the last ones. */
export const domains = [
  ['post.example', 34],
  ['example.com', 18],
  ['example.org', 12],
  ['example.net', 8],
  ['mailbox.example', 9],
  ['web.example', 7],
  ['village.example', 5],
  ['campus.example', 3.5],
  ['town-hall.example', 2],
  ['quiet.example', 1.5],
] as const;

interface Place {
  readonly city: string;
  readonly state: string;
  readonly country: string;
  /** With # for each digit and ? for each letter that differs from house to house. */
  readonly zipcode: string;
}

const place = (city: string, state: string, zipcode: string): Place => ({
  ...{ city, state, zipcode },
  country: 'United Kingdom',
});

export const places: readonly (readonly [Place, number])[] = [
  [place('Bristol', 'Somerset', 'BS# #??'), 14],
  [place('London', 'Greater London', 'SE# #??'), 13],
  [place('Leeds', 'West Yorkshire', 'LS# #??'), 8],
  [place('Norwich', 'Norfolk', 'NR# #??'), 8],
  [place('Exeter', 'Devon', 'EX# #??'), 7],
  [place('York', 'North Yorkshire', 'YO# #??'), 6],
  [place('Edinburgh', 'Midlothian', 'EH# #??'), 6],
  [place('Cardiff', 'Glamorgan', 'CF# #??'), 5],
  [place('Shrewsbury', 'Shropshire', 'SY# #??'), 5],
  [place('Lincoln', 'Lincolnshire', 'LN# #??'), 4],
  [place('Hereford', 'Herefordshire', 'HR# #??'), 4],
  [place('Truro', 'Cornwall', 'TR# #??'), 4],
  [place('Belfast', 'Antrim', 'BT# #??'), 3],
  [{ ...place('Dublin', 'Leinster', 'D## ??##'), country: 'Ireland' }, 4],
  [{ ...place('Cork', 'Munster', 'T## ??##'), country: 'Ireland' }, 2],
  [{ ...place('Utrecht', 'Utrecht', '#### ??'), country: 'Netherlands' }, 3],
  [{ ...place('Bremen', 'Bremen', '#####'), country: 'Germany' }, 3],
  [{ ...place('Lyon', 'Rhône', '#####'), country: 'France' }, 1],
];

export const streets = [
  'Orchard Road',
  'Mill Lane',
  'Church Street',
  'The Green',
  'Station Road',
  'Meadow View',
  'Hill Rise',
  'Elm Grove',
  'Nursery Lane',
  'Long Acre',
  'Market Place',
  'Brook Street',
] as const;
