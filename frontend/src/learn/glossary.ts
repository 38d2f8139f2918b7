/* The words of the field as the lesson uses them. In symbols and formulas "_" starts an index of one character. */

export interface Entry {
  term: string;
  symbol: string;
  formula: string;
  meaning: string;
  step: string; // that shows it
}

export const ENTRIES: readonly Entry[] = [
  {
    term: 'Patch',
    symbol: 'N',
    formula: 'N = H W / P²',
    meaning: 'A square of P × P pixels of the image. There are N of them.',
    step: 'patches',
  },
  {
    term: 'Token',
    symbol: 'x',
    formula: 'x ∈ ℝᴰ',
    meaning: 'A vector of D numbers that the layers rewrite. Each patch is one, and the class token is one more.',
    step: 'overview',
  },
  {
    term: 'Patch embedding',
    symbol: 'E',
    formula: 'x_i = E patch_i + b',
    meaning: 'The linear layer that turns the pixels of a patch into its token: a convolution with stride P.',
    step: 'embedding',
  },
  {
    term: 'Position embedding',
    symbol: 'p',
    formula: 'x_i + p_i',
    meaning: 'A learned vector for each place, added to its token, since attention itself ignores order.',
    step: 'positions',
  },
  {
    term: 'Class token',
    symbol: 'x_0',
    formula: 'y = head(norm(x_0))',
    meaning: 'A token without a patch. It collects information by attention, and the head reads it.',
    step: 'class-token',
  },
  {
    term: 'Query',
    symbol: 'q',
    formula: 'q = W_q norm(x)',
    meaning: 'What a token looks for: in each head a vector of d numbers.',
    step: 'attention',
  },
  {
    term: 'Key',
    symbol: 'k',
    formula: 'k = W_k norm(x)',
    meaning: 'What a token offers to the queries of the others.',
    step: 'attention',
  },
  {
    term: 'Value',
    symbol: 'v',
    formula: 'v = W_v norm(x)',
    meaning: 'What is read from a token that gets attention.',
    step: 'attention',
  },
  {
    term: 'Attention weight',
    symbol: 'α',
    formula: 'α_j = softmax_j(q · k_j / √d)',
    meaning: 'How much a query reads from token j. The weights of a query sum to 100 %.',
    step: 'attention',
  },
  {
    term: 'Uniform attention',
    symbol: '1 / T',
    formula: 'α_j = 1 / T',
    meaning: 'The same weight for all T tokens: the mark against which weights are large or small.',
    step: 'attention',
  },
  {
    term: 'Head',
    symbol: 'A',
    formula: 'z = Σ_j α_j v_j',
    meaning: 'One attention with queries, keys and values of its own. A layer has A of them.',
    step: 'heads',
  },
  {
    term: 'MLP',
    symbol: 'MLP',
    formula: 'W_2 GELU(W_1 norm(x))',
    meaning: 'Two linear layers with a nonlinearity between them, applied to each token on its own.',
    step: 'overview',
  },
  {
    term: 'Layer',
    symbol: 'L',
    formula: 'x + attention(x), then x + MLP(x)',
    meaning: 'Attention followed by an MLP, also called a block. The network has L of them.',
    step: 'overview',
  },
  {
    term: 'Residual stream',
    symbol: 'x',
    formula: 'x_L = x_0 + Σ (attention + MLP)',
    meaning: 'A token on its way through the layers, which only add to it.',
    step: 'layers',
  },
  {
    term: 'LayerNorm',
    symbol: 'norm',
    formula: 'γ (x − mean) / std + β',
    meaning: 'Brings the numbers of a token to mean 0 and standard deviation 1, then scales and shifts each.',
    step: 'layers',
  },
  {
    term: 'Logit lens',
    symbol: 'y_l',
    formula: 'y_l = head(norm(x_l))',
    meaning: 'The head applied after layer l instead of the last: what the network would predict there.',
    step: 'layers',
  },
  {
    term: 'Logit',
    symbol: 'y_c',
    formula: 'y_c = w_c · norm(x) + b_c',
    meaning: 'The output for class c before softmax. One more multiplies the odds by 2.7.',
    step: 'softmax',
  },
  {
    term: 'Softmax',
    symbol: 'p_c',
    formula: 'p_c = exp(y_c) / Σ_j exp(y_j)',
    meaning:
      'Turns numbers into positive ones that sum to 1: logits into probabilities, scores into attention weights.',
    step: 'softmax',
  },
  {
    term: 'Contribution',
    symbol: 'Δy',
    formula: 'y_c = Σ Δy + biases',
    meaning: 'What an attention or MLP added to the logit. All of them sum to it exactly.',
    step: 'contributions',
  },
  {
    term: 'Attribution map',
    symbol: 'R',
    formula: 'R ∈ ℝᴺ',
    meaning: 'A number for each patch that says how much it matters for a class. Removing patches tests it.',
    step: 'removal',
  },
];

/** "x_0" -> ["x", "0"]: every second part is an index. */
export const indexed = (text: string) => text.split(/_(.)/);
