// What files are called that the service reads (rag_api/ingest/common/kinds.py); a browser test
// compares the two.
export const READ = [
  ..."pdf docx docm doc odt rtf".split(" "),
  ..."pptx ppsx ppt pps odp".split(" "),
  ..."xlsx xlsm xls ods".split(" "),
  ..."html htm md txt eml msg".split(" "),
];
