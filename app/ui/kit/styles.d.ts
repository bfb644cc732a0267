// Style sheets of packages, which Vite puts into the page.
declare module "*.css";
